package import Logging
import ServiceLifecycle
package import SyncProtocol
package import SyncStore

/// Backs up when the server starts and the newest backup is too old, and whenever it has become so.
package struct BackupTimer: Service {
    /// The longest time until it looks again: clocks are set, backups are removed, and one that failed is tried again.
    private static let longestPause = Duration.seconds(3600)

    /// A folder of backups, or its like.
    package struct Place: Sendable {
        /// When the newest backup was made.
        let newest: @Sendable (_ now: Instant) throws -> Instant?
        /// Makes one, off Swift's own threads; ends early where its task is cancelled. Returns what to tell of it.
        let backUp: @Sendable (_ now: Instant) async throws -> String

        package init(
            newest: @escaping @Sendable (_ now: Instant) throws -> Instant?,
            backUp: @escaping @Sendable (_ now: Instant) async throws -> String
        ) {
            self.newest = newest
            self.backUp = backUp
        }
    }

    private let place: Place
    private let interval: Duration
    private let clock: WallClock
    private let logger: Logger
    private let pause: @Sendable (Duration) async throws -> Void

    package init(
        _ place: Place, every interval: Duration, clock: WallClock = .system, logger: Logger,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.place = place
        self.interval = interval
        self.clock = clock
        self.logger = logger
        self.pause = pause
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let rest = await look()
                do { try await pause(rest) } catch { return }
            }
        }
    }

    /// Backs up where it is time. Returns how long to wait before the next look.
    private func look() async -> Duration {
        do {
            let now = clock.now()
            if let due = try place.newest(now)?.advanced(by: interval), due > now {
                return min(.milliseconds(due.milliseconds - now.milliseconds), BackupTimer.longestPause)
            }
            let file = try await place.backUp(now)
            logger.info("Backed up.", metadata: ["file": "\(file)"])
            return min(interval, BackupTimer.longestPause)
        } catch is CancellationError {
            return .zero
        } catch {
            logger.error("The backup failed; the next try is in an hour.", metadata: ["error": "\(error)"])
            return BackupTimer.longestPause
        }
    }
}
