import ArgumentParser
import SyncClient
import SyncProtocol

struct RowSetCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change fields of a row.",
        discussion: """
            Write values as in JSON, but texts without quotes. An empty value is null where the field accepts null, \
            and otherwise an empty text.
            Example: tidemark row set risks r-17 --replica plan.replica impact=4 task_ids='["t-1","t-2"]'
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The row's id.") var id: String
    @Argument(help: "The fields to change, as name=value.") var fields: [FieldAssignment]

    func run() throws { try option.with { try $0.set(fields, of: id, in: collection) } }
}
