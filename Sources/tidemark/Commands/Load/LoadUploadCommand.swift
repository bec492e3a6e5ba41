import ArgumentParser
import Foundation
import SyncLoad

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
