import ArgumentParser
import SyncLoad

struct LoadColdStartCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "cold-start", abstract: "Pull the whole project from 0, again and again.",
        discussion: """
            Example: tidemark load cold-start http://127.0.0.1:8080 --tokens load.json --clients 8 --duration 20
            """)

    @OptionGroup var project: LoadProjectOptions
    @Option(help: "Number of drains of each client, instead of --duration.") var drains: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.coldStart)
        try options.apply(to: &plan, clients: 8, actions: drains)
        try await options.carryOut(plan)
    }
}
