import Dispatch
import Synchronization

/// Waits for a semaphore that end by the monotonic clock.
///
/// `DispatchSemaphore.wait(timeout:)` ends by the wall clock on Linux, whatever its deadline is made of: libdispatch's
/// `_dispatch_sema4_timedwait` turns it into time since 1970 for `sem_timedwait`. Set back by a day meanwhile, the clock
/// would let a stream that nobody reads hold its transaction for that day. Timers of Dispatch are monotonic.
enum TimedWait {
    /// Who of two was first.
    private final class Race: Sendable {
        private let isOver = Atomic(false)

        /// True for the first to ask.
        func win() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Blocks until it has decremented the semaphore, or for so long; false where it gave up. Then nothing is decremented.
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
