import ArgumentParser
import Foundation
import SyncLoad

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
