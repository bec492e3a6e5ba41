import Foundation
public import SyncProtocol

/// What a pull needs of the world besides the server, so that tests can hold it still.
public struct PullEnvironment: Sendable {
    /// Time since some fixed moment; never goes back.
    public var now: @Sendable () -> Duration
    /// Returns after the time, or throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// The calendar's time, for records that people read. Nothing is ordered by it.
    public var wallClock: @Sendable () -> Timestamp
    /// Decides the jitter of a pull's waits.
    public var seed: @Sendable () -> UInt64

    /// The parts of a world.
    public init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        wallClock: @escaping @Sendable () -> Timestamp,
        seed: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.sleep = sleep
        self.wallClock = wallClock
        self.seed = seed
    }

    /// The real one.
    public static var live: PullEnvironment {
        let start = ContinuousClock.now
        return PullEnvironment(
            now: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0) },
            wallClock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
            seed: { .random(in: .min ... .max) })
    }
}
