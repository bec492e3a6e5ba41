import Synchronization

/// What the pulls and pushes of a work have done so far, also of one that fails.
final class SyncTally: Sendable {
    private let outcome = Mutex(SyncOutcome())

    func add(_ part: SyncOutcome) { outcome.withLock { $0 += part } }

    var total: SyncOutcome { outcome.withLock { $0 } }
}
