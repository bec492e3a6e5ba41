import Foundation
public import SyncProtocol

/// What syncing needs of the world besides the server, so that tests can hold it still.
public struct SyncEnvironment: Sendable {
    /// Time since some fixed moment; never goes back.
    public var now: @Sendable () -> Duration
    /// Returns after the time, or throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// The calendar's time, for records that people read. Nothing is ordered by it.
    public var wallClock: @Sendable () -> Instant
    /// Decides the jitter of its waits.
    public var seed: @Sendable () -> UInt64
    /// A UUID that was never used, for a batch.
    public var newBatchID: @Sendable () -> String

    /// The parts of a world.
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

    /// The real one.
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
