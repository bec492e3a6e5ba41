import ArgumentParser
import Foundation
import SyncLoad

/// How large an upload is.
struct LoadBatchOptions: ParsableArguments {
    @Option(help: "Number of new tasks in each batch.") var rowsPerBatch = 1

    func validate() throws {
        guard (1...100_000).contains(rowsPerBatch) else {
            throw ValidationError("--rows-per-batch must be from 1 to 100000.")
        }
    }
}
