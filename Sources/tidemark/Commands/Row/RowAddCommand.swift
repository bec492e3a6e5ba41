import ArgumentParser
import SyncClient
import SyncProtocol

struct RowAddCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a row and print its id.",
        discussion: """
            Fields that you leave out get the schema's defaults. Write values as for `tidemark row set`. In a replica \
            of all projects, --project says where the row belongs; only a new project needs none.
            Example: tidemark row add dependencies --replica plan.replica predecessor=t-1 successor=t-2 lag=-2
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Option(help: "The row's id. (default: a random UUID)") var id: String?
    @Option(help: "The id of the row's project, in a replica of all projects.") var project: String?
    @Argument(help: "The fields, as name=value: see `tidemark help row set`.") var fields: [FieldAssignment] = []

    func run() throws { try Terminal.result(option.with { try $0.add(fields, to: collection, id: id, in: project) }) }
}
