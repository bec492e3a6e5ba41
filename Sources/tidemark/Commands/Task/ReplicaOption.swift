import ArgumentParser
import SyncClient
import SyncProtocol

/// The replica that a task command works on.
struct ReplicaOption: ParsableArguments {
    @Option(help: ArgumentHelp("The file of a replica that was pulled before.", valueName: "file")) var replica: String

    /// Runs `body` on the replica. Errors of the replica are shown as they are.
    func with<Result>(_ body: (Replica) throws -> Result) throws -> Result {
        do {
            return try body(Replica(existing: replica))
        } catch let error as ReplicaError {
            throw CommandError("\(error)")
        } catch let error as EditError {
            throw CommandError("\(error)")
        }
    }
}
