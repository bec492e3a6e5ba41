package import Dispatch

/// How long a stream's reader, and with it a read transaction, waits for its client. There is a limit
/// for each wait and one for all waits together, because a client that reads a little now and then holds
/// the transaction too. Each stream has a value of its own.
package struct StreamDeadline: Sendable {
    /// Decrements the semaphore, and blocks for at most the given time. Returns how long it waited; nil if it gave up.
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

    /// False if the semaphore was not decremented in time.
    mutating func wait(for semaphore: DispatchSemaphore) -> Bool {
        guard let waited = wait(semaphore, min(stall, left)) else { return false }
        left -= waited
        return true
    }

    /// Waits by the monotonic clock.
    package static let clocked: Wait = { semaphore, limit in
        let start = ContinuousClock.now
        guard TimedWait.wait(for: semaphore, atMost: limit) else { return nil }
        return ContinuousClock.now - start
    }
}
