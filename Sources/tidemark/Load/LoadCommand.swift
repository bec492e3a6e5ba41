import ArgumentParser
import Foundation
import SyncLoad

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Put load on a server, and check its answers.",
        discussion: """
            The exit status is 1 if any answer was wrong, however fast the server was.
            Example: tidemark load cold-start http://127.0.0.1:8080 --tokens load.json --clients 8
            """,
        subcommands: [
            LoadPrepareCommand.self, LoadColdStartCommand.self, LoadPollCommand.self, LoadUploadCommand.self,
            LoadMixedCommand.self, LoadStormCommand.self, LoadGetCommand.self,
        ])
}

struct LoadGetCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Request one plain URL, to measure what this client can do against a static file server.",
        discussion: "Example: tidemark load get http://127.0.0.1:8081/page.json --clients 32 --header 'Accept: */*'")

    @Argument(help: "The URL to request.", transform: LoadProjectOptions.target) var url: LoadTarget
    @Option(help: "A header, in the form Name: value. May be repeated.", transform: LoadGetCommand.header)
    var header: [(name: String, value: String)] = []
    @Option(help: "Number of requests of each client, instead of --duration.") var requests: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = LoadPlan(target: url, profile: .get)
        try options.apply(to: &plan, clients: 32, actions: requests)
        plan.headers = header
        try await options.carryOut(plan)
    }

    static func header(_ text: String) throws -> (name: String, value: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex,
            !text.contains(where: \.isNewline)
        else { throw ValidationError("\(text) is not a header. Write it as Name: value.") }
        return (String(text[..<colon]), text[bytes.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
}

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

struct LoadUploadCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Upload new tasks, which stay in the project.",
        discussion: """
            The server's rate limits must be off: TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT=0, \
            TIDEMARK_SYNC_UPLOAD_RATE_PER_USER=0.
            Example: tidemark load upload http://127.0.0.1:8080 --tokens load.json --clients 64 --rows-per-batch 1
            """)

    @OptionGroup var project: LoadProjectOptions
    @OptionGroup var batches: LoadBatchOptions
    @Option(help: "Number of uploads of each client, instead of --duration.") var requests: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.upload)
        try options.apply(to: &plan, clients: 64, actions: requests)
        plan.rowsPerBatch = batches.rowsPerBatch
        try await options.carryOut(plan)
    }
}

struct LoadMixedCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "mixed", abstract: "Poll, upload and pull from 0, in given shares.",
        discussion: """
            The server's rate limits must be off: see `tidemark help load upload`.
            Example: tidemark load mixed http://127.0.0.1:8080 --tokens load.json --shares 90,8,2 --clients 32
            """)

    @OptionGroup var project: LoadProjectOptions
    @Option(
        help: ArgumentHelp("Percentages of polls, uploads and cold starts.", valueName: "poll,upload,cold-start"),
        transform: LoadMixedCommand.shares)
    var shares = LoadProfile.Shares(poll: 90, upload: 8, coldStart: 2)!
    @OptionGroup var batches: LoadBatchOptions
    @Option(help: "Number of actions of each client, instead of --duration.") var requests: Int?
    @Option(help: "The seed for the random order of actions.") var seed: UInt64 = 1
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.mixed(shares))
        try options.apply(to: &plan, clients: 32, actions: requests)
        plan.rowsPerBatch = batches.rowsPerBatch
        plan.seed = seed
        try await options.carryOut(plan)
    }

    private static func shares(_ text: String) throws -> LoadProfile.Shares {
        let numbers = text.split(separator: ",").map { Int($0) ?? -1 }
        guard numbers.count == 3,
            let shares = LoadProfile.Shares(poll: numbers[0], upload: numbers[1], coldStart: numbers[2])
        else { throw ValidationError("--shares takes three numbers that add up to 100, for example 90,8,2.") }
        return shares
    }
}

/// How large an upload is.
struct LoadBatchOptions: ParsableArguments {
    @Option(help: "Number of new tasks in each batch.") var rowsPerBatch = 1

    func validate() throws {
        guard (1...100_000).contains(rowsPerBatch) else {
            throw ValidationError("--rows-per-batch must be from 1 to 100000.")
        }
    }
}
