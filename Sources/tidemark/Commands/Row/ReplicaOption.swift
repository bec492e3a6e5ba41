import ArgumentParser
import SyncClient
import SyncProtocol

/// The replica that a command works on.
struct ReplicaOption: ParsableArguments {
    @Option(help: ArgumentHelp("The file of a replica that was pulled before.", valueName: "file")) var replica: String

    /// Runs `body` on the replica. Errors of the replica are shown as they are, and those of an edit with advice.
    func with<Result>(_ body: (Replica) throws -> Result) throws -> Result {
        do {
            let replica = try Replica(existing: self.replica)
            do {
                return try body(replica)
            } catch let error as EditError {
                throw CommandError(error.advice(try replica.schema(), in: self.replica))
            }
        } catch let error as ReplicaError {
            throw CommandError("\(error)")
        }
    }
}
