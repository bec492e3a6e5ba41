import ArgumentParser
import SyncLoad

struct LoadPollCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "Poll a project in which nothing is new.",
        discussion: "Example: tidemark load poll http://127.0.0.1:8080 --tokens load.json --clients 32 --rate 5000")

    @OptionGroup var project: LoadProjectOptions
    @Option(help: "Number of polls of each client, instead of --duration.") var requests: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.poll)
        try options.apply(to: &plan, clients: 32, actions: requests)
        try await options.carryOut(plan)
    }
}
