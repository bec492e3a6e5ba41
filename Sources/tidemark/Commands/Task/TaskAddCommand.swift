import ArgumentParser
import SyncClient
import SyncProtocol

struct TaskAddCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a task and print its id.",
        discussion: "Example: tidemark task add --replica plan.replica --name \"Order paint\" duration=2 parent=t-17")

    @OptionGroup var option: ReplicaOption
    @Option(help: "The task's name.") var name: String
    @Option(help: "The task's id. (default: a random UUID)") var id: String?
    @Option(help: "The id of the task's project, in a replica of all projects.") var project: String?
    @Argument(help: "Other fields, as name=value: see `tidemark help task set`.") var fields: [FieldAssignment] = []

    func run() throws {
        try Terminal.result(
            option.with {
                try $0.add(fields, ["name": .string(name)], to: Replica.tasks, id: id, in: project)
            })
    }
}
