import SyncStore
import Synchronization

/// The database's clock as this server knows it: the machine's, corrected by what the last heartbeat has found. So a
/// server whose machine has another time judges ages as the other servers do.
final class DatabaseClock: Sendable {
    let machine: WallClock
    private let last = Mutex(ClockGap())

    init(_ machine: WallClock = .system) { self.machine = machine }

    /// How far the machine's clock is from the database's.
    var gap: ClockGap { last.withLock { $0 } }

    /// The corrected clock.
    var wallClock: WallClock { WallClock { self.machine.now().advanced(by: .zero - self.gap.duration) } }

    /// Corrects the clock from now on. Returns whether the two clocks have parted, or agree again.
    func correct(by gap: ClockGap) -> Bool {
        last.withLock { last in
            defer { last = gap }
            return last.isTooWide != gap.isTooWide
        }
    }
}
