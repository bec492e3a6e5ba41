package import Logging
import ServiceLifecycle
package import SyncProtocol
package import SyncStore
import Synchronization

/// The backups that this server makes: by itself, and when a superuser asks for one. One at a time.
package final class Backups: Sendable {
    /// When and with which result a backup was last checked.
    struct Verdict: Sendable, Equatable {
        let at: Instant
        let isSound: Bool
    }

    /// The settings, as people read them.
    package struct Plan: Sendable {
        /// The age of the newest backup at which the next one is made.
        package let every: Duration
        package let folder: String
        /// How many backups stay in the folder.
        package let kept: Int

        package init(every: Duration, folder: String, kept: Int) {
            self.every = every
            self.folder = folder
            self.kept = kept
        }
    }

    /// Why the last backup failed.
    struct Failure: Sendable {
        let at: Instant
        let sentence: String
    }

    private struct State {
        var isRunning = false
        var failure: Failure?
        var verdicts: [String: Verdict] = [:]
    }

    /// The most backups that are listed.
    private static let most = 500

    package let plan: Plan
    private let origin: BackupTimer.Place
    private let clock: WallClock
    private let state = Mutex(State())

    package init(_ place: BackupTimer.Place, plan: Plan, clock: WallClock = .system) {
        origin = place
        self.plan = plan
        self.clock = clock
    }

    /// The same place for the server's own backups. While somebody else's backup is made, it throws `BackupUnderWay`.
    package var place: BackupTimer.Place {
        BackupTimer.Place(
            newest: origin.newest,
            backUp: { [self] now in
                guard begin() else { throw BackupUnderWay() }
                return try await make(at: now)
            }, files: origin.files)
    }

    /// Reserves the next backup. Returns false if one is being made. `make` must follow.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// Makes the backup that was reserved. Returns its file. The backup is under way until `note` has returned, so
    /// whoever reads that it is made also finds what `note` keeps.
    func make(at now: Instant, note: (_ file: String) async throws -> Void = { _ in }) async throws -> String {
        let file: String
        do {
            file = try await origin.backUp(now)
        } catch {
            let failure = Failure(at: clock.now(), sentence: UpkeepFailure.sentence(error, "The backup failed."))
            state.withLock { ($0.isRunning, $0.failure) = (false, failure) }
            throw error
        }
        // A backup gets its name only after a whole check of it.
        self.note(Verdict(at: clock.now(), isSound: true), of: BackupFile.name(of: file))
        defer { state.withLock { ($0.isRunning, $0.failure) = (false, nil) } }
        try await note(file)
        return file
    }

    /// The newest first.
    func files() throws -> [BackupFile] { Array(try origin.files().sorted { $0.at > $1.at }.prefix(Self.most)) }

    func note(_ verdict: Verdict, of file: String) { state.withLock { $0.verdicts[file] = verdict } }

    var isRunning: Bool { state.withLock { $0.isRunning } }
    /// Nil if the last backup was made, and before the first.
    var lastFailure: Failure? { state.withLock(\.failure) }

    /// A backup that did not pass its last check, and is still there.
    var damagedFile: (name: String, at: Instant)? {
        let damaged = state.withLock { $0.verdicts.filter { !$0.value.isSound } }
        guard !damaged.isEmpty, let files = try? files() else { return nil }
        return files.lazy.compactMap { file in damaged[file.name].map { (file.name, $0.at) } }.first
    }

    /// A page of the list, with what is under way.
    var json: JSON {
        let files: [BackupFile]
        do {
            files = try self.files()
        } catch {
            let failure = UpkeepFailure.sentence(error, "The backups can't be listed.")
            return Self.json(isRunning: isRunning, failure: failure)
        }
        let (isRunning, failure, verdicts) = state.withLock { state in
            // Files that are gone are forgotten here.
            let names = Set(files.map(\.name))
            state.verdicts = state.verdicts.filter { names.contains($0.key) }
            return (state.isRunning, state.failure?.sentence, state.verdicts)
        }
        return Self.json(files.map { $0.json(verdicts[$0.name]) }, isRunning: isRunning, failure: failure)
    }

    static func json(_ results: [JSON] = [], isRunning: Bool = false, failure: String? = nil) -> JSON {
        [
            "results": .array(results), "next": .null, "state": isRunning ? "running" : "idle",
            "last_error": failure.map(JSON.string) ?? .null,
        ]
    }
}

extension BackupFile {
    /// The name of the file at a path.
    fileprivate static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    fileprivate func json(_ verdict: Backups.Verdict?) -> JSON {
        [
            "file": .string(name), "at": .string(at.text), "bytes": .int(bytes),
            "verified_at": verdict.map { .string($0.at.text) } ?? .null,
            "verdict": verdict.map { $0.isSound ? "sound" : "damaged" } ?? .null,
        ]
    }
}

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

/// A finished backup in the folder for backups.
package struct BackupFile: Sendable, Equatable {
    /// The file's name in the folder.
    package let name: String
    package let at: Instant
    package let bytes: Int64

    package init(name: String, at: Instant, bytes: Int64) { (self.name, self.at, self.bytes) = (name, at, bytes) }
}

/// A backup is not made, because another one is being made.
struct BackupUnderWay: Error {}
