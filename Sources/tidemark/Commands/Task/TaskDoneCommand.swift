import ArgumentParser
import SyncClient
import SyncProtocol

struct TaskDoneCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "done", abstract: "Mark a task as complete.",
        discussion: "Example: tidemark task done t-17 --replica plan.replica")

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String

    func run() throws {
        try option.with { try $0.update(id, in: Replica.tasks, ["status": "COMPLETE", "percent_complete": 100]) }
    }
}
