import Foundation
import ArgumentParser
import SyncLoad

/// How large an upload is.
struct LoadBatchOptions: ParsableArguments {
    @Option(help: "New tasks in each batch.") var rowsPerBatch = 1

    func validate() throws {
        guard (1...100_000).contains(rowsPerBatch) else {
            throw ValidationError("--rows-per-batch must be 1 to 100000.")
        }
    }
}

struct LoadUploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Uploads of new tasks, which stay in the project.",
        discussion: """
            The server's rate limits must be off: TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT=0, \
            TIDEMARK_SYNC_UPLOAD_RATE_PER_USER=0.
            Example: tidemark load upload http://127.0.0.1:8080 --tokens load.json --clients 64 --rows-per-batch 1
            """)

    @OptionGroup var project: LoadProjectOptions
    @OptionGroup var batches: LoadBatchOptions
    @Option(help: "Uploads of each client, instead of --duration.") var requests: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.upload)
        try options.apply(to: &plan, clients: 64, actions: requests)
        plan.rowsPerBatch = batches.rowsPerBatch
        try await options.carryOut(plan)
    }
}

struct LoadMixedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed", abstract: "Polls, uploads and cold starts in given shares.",
        discussion: """
            Uploads need the server's rate limits to be off, as for load upload.
            Example: tidemark load mixed http://127.0.0.1:8080 --tokens load.json --shares 90,8,2 --clients 32
            """)

    @OptionGroup var project: LoadProjectOptions
    @Option(
        help: ArgumentHelp("Of a hundred actions: polls, uploads, cold starts.", valueName: "poll,upload,cold-start"),
        transform: LoadMixedCommand.shares)
    var shares = LoadProfile.Shares(poll: 90, upload: 8, coldStart: 2)!
    @OptionGroup var batches: LoadBatchOptions
    @Option(help: "Actions of each client, instead of --duration.") var requests: Int?
    @Option(help: "What the order of actions is drawn from.") var seed: UInt64 = 1
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = try project.plan(.mixed(shares))
        try options.apply(to: &plan, clients: 32, actions: requests)
        (plan.rowsPerBatch, plan.seed) = (batches.rowsPerBatch, seed)
        try await options.carryOut(plan)
    }

    private static func shares(_ text: String) throws -> LoadProfile.Shares {
        let numbers = text.split(separator: ",").map { Int($0) ?? -1 }
        guard numbers.count == 3,
            let shares = LoadProfile.Shares(poll: numbers[0], upload: numbers[1], coldStart: numbers[2])
        else { throw ValidationError("--shares are three numbers that come to 100, as 90,8,2.") }
        return shares
    }
}

struct LoadGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "One plain URL: what this client can drive, against a static file server.",
        discussion: "Example: tidemark load get http://127.0.0.1:8081/page.json --clients 32 --header 'Accept: */*'")

    @Argument(help: "What is asked for.", transform: LoadProjectOptions.target) var url: LoadTarget
    @Option(help: "A header, as Name: value; may be repeated.", transform: LoadGetCommand.header)
    var header: [(name: String, value: String)] = []
    @Option(help: "Requests of each client, instead of --duration.") var requests: Int?
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
        else { throw ValidationError("\(text) is no header, as Name: value.") }
        return (String(text[..<colon]), text[bytes.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
}
