import ArgumentParser

struct RowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "row", abstract: "List and edit the rows of a replica, without a server.",
        discussion: """
            A row belongs to a collection, such as tasks, risks or time_entries. Edits stay in the replica until \
            `tidemark push` or `tidemark sync` sends them. You can also edit while `tidemark sync --watch` is running. \
            `tidemark task` is a short form for tasks.
            Example: tidemark row add risks --replica plan.replica title="Paint is late" probability=3 impact=2
            """,
        subcommands: [RowListCommand.self, RowAddCommand.self, RowSetCommand.self, RowRemoveCommand.self])
}
