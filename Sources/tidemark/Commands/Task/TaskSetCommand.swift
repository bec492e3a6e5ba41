import ArgumentParser
import Foundation
import SyncClient
import SyncProtocol

struct TaskSetCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change fields of a task.",
        discussion: """
            Write values as in JSON, but texts without quotes. An empty value is null.
            Example: tidemark task set t-17 --replica plan.replica percent_complete=50 notes="Two coats"
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String
    @Argument(help: "The fields to change, as name=value.") var fields: [FieldAssignment]

    func run() throws {
        try option.with { try $0.set(fields, of: id, in: Replica.tasks) }
    }
}
