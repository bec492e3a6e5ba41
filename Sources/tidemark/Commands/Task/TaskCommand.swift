import ArgumentParser

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "List and edit the tasks of a replica, without a server.",
        discussion: """
            Edits stay in the replica until `tidemark push` or `tidemark sync` sends them. You can also edit while \
            `tidemark sync --watch` is running. `tidemark row` does the same for every collection.
            Example: tidemark task add --replica plan.replica --name "Order paint"
            """,
        subcommands: [
            TaskListCommand.self, TaskAddCommand.self, TaskSetCommand.self, TaskDoneCommand.self,
            TaskRemoveCommand.self,
        ])
}
