import SyncProtocol
import Synchronization

/// A read that may turn out to be long. A checkpoint that truncates the WAL waits for all readers, and makes the writer
/// wait too. So no checkpoint runs during a long read, and the WAL grows until a commit after the last of them.
final class ReadLease: Sendable {
    private let checkpoints: Checkpoints
    /// The number of long reads.
    private let all: SharedNumber
    private let isCounted = Mutex(false)

    init(_ checkpoints: Checkpoints, _ all: SharedNumber) {
        self.checkpoints = checkpoints
        self.all = all
    }

    /// Declares the read to be long from now on. Throws `busy` if the WAL is too long for another one.
    func begin() throws {
        guard checkpoints.walSize < Checkpoints.longReadLimit else {
            throw Problem(.busy, "The database is waiting for earlier streams to end. Try again, or pull in pages.")
        }
        isCounted.withLock { $0 = true }
        all.add(1)
    }

    /// Called after the transaction has ended.
    func end() { if isCounted.withLock({ $0 }) { all.add(-1) } }
}
