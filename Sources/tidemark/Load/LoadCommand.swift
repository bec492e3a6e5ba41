import ArgumentParser
import Foundation
import SyncLoad

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
        (plan.rowsPerBatch, plan.seed) = (batches.rowsPerBatch, seed)
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
