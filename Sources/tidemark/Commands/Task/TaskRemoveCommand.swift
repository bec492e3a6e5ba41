import ArgumentParser
import SyncClient

struct TaskRemoveCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a task.",
        discussion: """
            Rows that depend on it, such as child tasks, are deleted at the next sync.
            Example: tidemark task rm t-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String

    func run() throws { try option.with { try $0.remove(id, from: Replica.tasks) } }
}
