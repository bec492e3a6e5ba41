import Dispatch
import Synchronization

/// Waits for a semaphore, with a limit by the monotonic clock.
///
/// On Linux, `DispatchSemaphore.wait(timeout:)` ends by the wall clock, whatever its deadline is made
/// from: libdispatch's `_dispatch_sema4_timedwait` turns it into time since 1970 for `sem_timedwait`. If
/// that clock were set back by a day meanwhile, a stream that nobody reads would hold its transaction
/// for that day. Dispatch's timers are monotonic.
enum TimedWait {
    /// Tells which of two callers was first.
    private final class Race: Sendable {
        private let isOver = Atomic(false)

        /// True for the first to ask.
        func win() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Blocks until it has decremented the semaphore, or for `limit` at
    /// most. False if it gave up. Then nothing is decremented.
    static func wait(for semaphore: DispatchSemaphore, atMost limit: Duration) -> Bool {
        if semaphore.wait(timeout: .now()) == .success { return true }
        let race = Race()
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { if race.win() { semaphore.signal() } }
        timer.schedule(deadline: .now() + .milliseconds(Int(limit / .milliseconds(1))))
        timer.activate()
        defer { timer.cancel() }
        semaphore.wait()
        return race.win()
    }
}
