import ArgumentParser
import SyncClient

struct RowRemoveCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a row.",
        discussion: """
            Rows that depend on it, such as the links of a task, are deleted at the next sync.
            Example: tidemark row rm risks r-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The row's id.") var id: String

    func run() throws { try option.with { try $0.remove(id, from: collection) } }
}
