import SyncProtocol

/// A read that may turn out to be long. A checkpoint that truncates the WAL waits for all readers, and makes the writer
/// wait too. So no checkpoint runs during a long read, and the WAL grows until a commit after the last of them.
final class ReadLease: Sendable {
    private let checkpoints: Checkpoints
    private let all: LongReads

    init(_ checkpoints: Checkpoints, _ all: LongReads) {
        self.checkpoints = checkpoints
        self.all = all
    }

    /// Declares the read to be long from now on. Throws `busy` if the WAL is too long for another one. `cut` is called
    /// when the WAL has grown too much during this one; nil for a read that must not end early.
    func begin(cut: (@Sendable () -> Void)? = nil) throws {
        let size = checkpoints.walSize
        guard size < Checkpoints.longReadLimit else {
            throw Problem(.busy, "The database is waiting for earlier streams to end. Try again, or pull in pages.")
        }
        all.begin(self, upTo: cut == nil ? .max : size + checkpoints.longReadGrowth, cut: cut ?? {})
    }

    /// Called after the transaction has ended.
    func end() { all.end(self) }
}
