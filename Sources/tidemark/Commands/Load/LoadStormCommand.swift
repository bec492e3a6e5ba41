import ArgumentParser
import SyncLoad

struct LoadStormCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Let all clients connect and pull from 0 at the same moment, once.",
        discussion: """
            It waits for a server that is not up yet, so you can start it before you restart the server.
            Example: tidemark load storm http://127.0.0.1:8080 --tokens load.json --clients 1000
            """)

    @OptionGroup var project: LoadProjectOptions
    @Option(help: "Seconds to wait for the server.") var wait = 60.0
    @OptionGroup var options: LoadOptions

    func run() async throws {
        guard options.rate == nil, options.duration == nil, options.warmUp == 0 else {
            throw ValidationError("A storm has no --rate, --duration or --warm-up: each client pulls once.")
        }
        var plan = try project.plan(.storm)
        try options.apply(to: &plan, clients: 100, actions: 1)
        plan.patience = wait
        try await options.carryOut(plan)
    }
}
