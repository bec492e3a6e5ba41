import Synchronization

/// What the pulls and pushes of a work have done so far, also of one that fails.
final class SyncTally: Sendable {
    private let outcome = Mutex(SyncOutcome())

    func add(_ part: SyncOutcome) { outcome.withLock { $0 += part } }

    var total: SyncOutcome { outcome.withLock { $0 } }
}

extension SyncOutcome {
    /// Whether it says something that no later sync says again.
    var hasNews: Bool { pulled?.left.isEmpty == false || pulled?.pages ?? 0 > 0 || pushed?.rows ?? 0 > 0 }
}
