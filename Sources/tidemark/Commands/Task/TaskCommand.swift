import ArgumentParser
import SyncClient
import SyncProtocol

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "List and edit the tasks of a replica, without a server.",
        discussion: """
            Edits stay in the replica until `tidemark push` or `tidemark sync` sends them. You can also edit while \
            `tidemark sync --watch` is running.
            Example: tidemark task add --replica plan.replica --name "Order paint"
            """,
        subcommands: [
            TaskListCommand.self, TaskAddCommand.self, TaskSetCommand.self, TaskDoneCommand.self,
            TaskRemoveCommand.self,
        ])
}

extension Replica {
    /// The collection that `tidemark task` edits.
    static let tasks = "tasks"

    /// Throws an `EditError` if the replica was never pulled or has no tasks.
    func taskSchema() throws -> CollectionSchema {
        guard let schema = try schema() else { throw EditError.notPulled }
        guard let tasks = schema[Self.tasks] else { throw EditError.unknownCollection(Self.tasks) }
        return tasks
    }
}
