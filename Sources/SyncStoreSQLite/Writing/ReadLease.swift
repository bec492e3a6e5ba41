import SyncProtocol
import Synchronization

/// A read that may turn out to last. A checkpoint that truncates waits for all readers, and the writer with it; so there is
/// none while such a read lasts, and the WAL grows until a commit behind the last of them.
final class ReadLease: Sendable {
    private let checkpoints: Checkpoints
    /// How many reads last.
    private let all: SharedNumber
    private let isCounted = Mutex(false)

    init(_ checkpoints: Checkpoints, _ all: SharedNumber) {
        self.checkpoints = checkpoints
        self.all = all
    }

    /// From now on it lasts. Throws `busy` where the WAL is too long for it.
    func begin() throws {
        guard checkpoints.walSize < Checkpoints.longReadLimit else {
            throw Problem(.busy, "The database waits for the end of earlier streams. Try again, or pull in pages.")
        }
        isCounted.withLock { $0 = true }
        all.add(1)
    }

    /// To be called behind the end of the transaction.
    func end() { if isCounted.withLock({ $0 }) { all.add(-1) } }
}
