import ArgumentParser
import SyncLoad

struct LoadColdStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cold-start", abstract: "Drains from 0, one after the other.",
        discussion: """
            Example: tidemark load cold-start http://127.0.0.1:8080 --tokens load.json --clients 8 --duration 20 --warm-up 5
            """)

    @OptionGroup var project: LoadProjectOptions
    @Option(help: "Drains of each client, instead of --duration.") var drains: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.coldStart)
        try options.apply(to: &plan, clients: 8, actions: drains)
        try await options.carryOut(plan)
    }
}

struct LoadStormCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Everybody connects and drains from 0 at the same moment, once.",
        discussion: """
            Waits for a server that is not up yet, so that it can be started before a restart.
            Example: tidemark load storm http://127.0.0.1:8080 --tokens load.json --clients 1000
            """)

    @OptionGroup var project: LoadProjectOptions
    @Option(help: "Seconds that it waits for the server.") var wait = 60.0
    @OptionGroup var options: LoadOptions

    func run() async throws {
        guard options.rate == nil, options.duration == nil, options.warmUp == 0 else {
            throw ValidationError("A storm has no --rate, --duration or --warm-up: each client drains once.")
        }
        var plan = try project.plan(.storm)
        try options.apply(to: &plan, clients: 100, actions: 1)
        plan.patience = wait
        try await options.carryOut(plan)
    }
}

struct LoadPollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "Drains from the head: nothing new.",
        discussion: "Example: tidemark load poll http://127.0.0.1:8080 --tokens load.json --clients 32 --rate 5000")

    @OptionGroup var project: LoadProjectOptions
    @Option(help: "Polls of each client, instead of --duration.") var requests: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.poll)
        try options.apply(to: &plan, clients: 32, actions: requests)
        try await options.carryOut(plan)
    }
}
