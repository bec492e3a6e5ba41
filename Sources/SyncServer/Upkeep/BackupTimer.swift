package import Logging
import ServiceLifecycle
package import SyncProtocol
package import SyncStore

/// Makes a backup whenever the newest one is too old, beginning when the server starts.
package struct BackupTimer: Service {
    /// The longest pause between two checks. Clocks are set, backups are removed, and a failed backup is tried again.
    private static let longestPause = Duration.seconds(3600)

    /// The pause while somebody else's backup is made.
    private static let shortPause = Duration.seconds(60)

    /// A place for backups, usually a folder.
    package struct Place: Sendable {
        /// When the newest backup was made; nil if there is none.
        let newest: @Sendable (_ now: Instant) throws -> Instant?
        /// Makes a backup, on a thread that may block. Ends early if its
        /// task is cancelled. Returns what to log, usually the file.
        let backUp: @Sendable (_ now: Instant) async throws -> String
        /// The finished backups, in any order.
        let files: @Sendable () throws -> [BackupFile]

        package init(
            newest: @escaping @Sendable (_ now: Instant) throws -> Instant?,
            backUp: @escaping @Sendable (_ now: Instant) async throws -> String,
            files: @escaping @Sendable () throws -> [BackupFile] = { [] }
        ) {
            self.newest = newest
            self.backUp = backUp
            self.files = files
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

    /// Makes a backup if it is time. Returns how long to wait until the next check.
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
        } catch is BackupUnderWay {
            return BackupTimer.shortPause
        } catch {
            logger.error("The backup failed; the next try is in an hour.", metadata: ["error": "\(error)"])
            return BackupTimer.longestPause
        }
    }
}
