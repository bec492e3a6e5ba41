import SyncEngine
import SyncProtocol
import Synchronization

/// Stands still until it is told to move.
final class ManualClock: Sendable {
    private let time: Mutex<SyncProtocol.Timestamp>

    init(_ start: SyncProtocol.Timestamp) { time = Mutex(start) }

    var wallClock: WallClock { WallClock { self.time.withLock { $0 } } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}
