import ArgumentParser
import Foundation
import SyncClient
import SyncProtocol

struct TaskSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change fields of a task.",
        discussion: """
            A value is written as in JSON, texts without quotes; nothing behind the = is null.
            Example: tidemark task set t-17 --replica plan.replica percent_complete=50 notes="Two coats"
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String
    @Argument(help: "What to change.") var fields: [FieldAssignment]

    func run() throws {
        try option.with { try $0.update(id, in: Replica.tasks, fields.values(in: $0.taskSchema())) }
    }
}
