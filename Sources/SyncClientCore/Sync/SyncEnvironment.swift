import Foundation
public import SyncProtocol

/// What syncing needs from the outside world besides the server: clocks, random numbers and ids. Tests replace them.
public struct SyncEnvironment: Sendable {
    /// The time since some fixed moment. It never goes back.
    public var now: @Sendable () -> Duration
    /// Returns after the given time, or throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// The calendar time, for records that people read. Nothing is ordered by it.
    public var wallClock: @Sendable () -> Instant
    /// A seed for the jitter of the waits.
    public var seed: @Sendable () -> UInt64
    /// A new UUID for a batch.
    public var newBatchID: @Sendable () -> String

    /// Makes an environment from its parts.
    public init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        wallClock: @escaping @Sendable () -> Instant,
        seed: @escaping @Sendable () -> UInt64,
        newBatchID: @escaping @Sendable () -> String
    ) {
        self.now = now
        self.sleep = sleep
        self.wallClock = wallClock
        self.seed = seed
        self.newBatchID = newBatchID
    }

    /// The real environment.
    public static var live: SyncEnvironment {
        let start = ContinuousClock.now
        return SyncEnvironment(
            now: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0) },
            wallClock: { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
            seed: { .random(in: .min ... .max) },
            newBatchID: { UUID().uuidString.lowercased() })
    }
}
