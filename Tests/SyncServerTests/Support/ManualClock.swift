import SyncProtocol
import SyncStore
import Synchronization

/// Stands still until it is told to move.
final class ManualClock: Sendable {
    private let time: Mutex<SyncProtocol.Instant>

    init(_ start: SyncProtocol.Instant) { time = Mutex(start) }

    var wallClock: WallClock { WallClock { self.time.withLock { $0 } } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}
