package import Dispatch

/// How long a stream's reader, and with it a read transaction, waits for its client: each time, and all in all, since a
/// client that takes a little now and then holds the transaction as well. A value a stream.
package struct StreamDeadline: Sendable {
    /// Blocks until it has decremented the semaphore, or for so long. Returns how long it was; nil where it gave up.
    package typealias Wait = @Sendable (DispatchSemaphore, Duration) -> Duration?

    private let stall: Duration
    private var left: Duration
    private let wait: Wait

    package init(
        stall: Duration = .seconds(30), total: Duration = .seconds(600), _ wait: @escaping Wait = StreamDeadline.clocked
    ) {
        self.stall = stall
        left = total
        self.wait = wait
    }

    /// False where the semaphore was not decremented in time.
    mutating func wait(for semaphore: DispatchSemaphore) -> Bool {
        guard let waited = wait(semaphore, min(stall, left)) else { return false }
        left -= waited
        return true
    }

    /// By the monotonic clock.
    package static let clocked: Wait = { semaphore, limit in
        let start = ContinuousClock.now
        guard TimedWait.wait(for: semaphore, atMost: limit) else { return nil }
        return ContinuousClock.now - start
    }
}
