import SyncProtocol
import SyncStore
import Synchronization

/// A clock that moves only when a test moves it.
final class ManualClock: Sendable {
    private let time: Mutex<SyncProtocol.Instant>

    init(_ start: SyncProtocol.Instant) { time = Mutex(start) }

    var wallClock: WallClock { WallClock { self.time.withLock { $0 } } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}
