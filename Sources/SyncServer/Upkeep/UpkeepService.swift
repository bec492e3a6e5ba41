import Logging
import ServiceLifecycle
import SyncAccounts
import SyncProtocol
import SyncStore

/// Backups and checks that superusers start. Each needs a fresh password. When it is done, it is in the audit list; one
/// that fails is not.
struct UpkeepService<Store: SyncStore>: Sendable {
    let maintenance: Maintenance
    let store: Store
    let audit: AuditService<Store>
    let work: BackgroundWork
    let clock: WallClock

    // MARK: Backups

    /// The backups, and whether one is being made. Throws `forbidden` unless the caller is a superuser.
    func backups(for caller: Caller) throws -> JSON {
        try caller.requireSuperuser("Listing backups")
        return maintenance.backups?.json ?? Backups.json()
    }

    /// The settings of backups.
    var plan: JSON {
        let plan = maintenance.backups?.plan
        return [
            "every_seconds": plan.map { .int($0.every.components.seconds) } ?? .null,
            "folder": plan.map { .string($0.folder) } ?? .null, "kept": plan.map { .int(Int64($0.kept)) } ?? .null,
            "hint": plan == nil ? .string(maintenance.withoutBackups) : .null,
        ]
    }

    /// Starts a backup. Throws what `Caller.requireFreshSuperuser` throws, and `conflict` if there is no place for
    /// backups, or if one is being made.
    func backUp(by caller: Caller, _ logger: Logger) async throws -> JSON {
        try await caller.requireFreshSuperuser("Making a backup", by: clock, in: store)
        guard let backups = maintenance.backups else { throw Problem(.conflict, maintenance.withoutBackups) }
        guard backups.begin() else { throw Problem(.conflict, "A backup is being made. Wait until it is done.") }
        work.start { [audit, clock] in
            await attempt("The backup", logger: logger) {
                _ = try await backups.make(at: clock.now()) { file in
                    logger.info("Backed up.", metadata: ["file": "\(file)"])
                    try await audit.note(.backupMade, ["file": .string(file)], by: caller.actor)
                }
            }
        }
        return backups.json
    }

    // MARK: Checks

    /// The check under way, or the last one. Throws `forbidden` unless the caller is a superuser.
    func check(for caller: Caller) throws -> JSON {
        try caller.requireSuperuser("Reading the result of a check")
        return maintenance.checks?.json ?? Checks.none
    }

    /// Starts a check of the backup with this name, or of the database for nil. Throws what
    /// `Caller.requireFreshSuperuser` throws, `not_found` for an unknown backup, and `conflict` if one is under way.
    func startCheck(of backup: String?, by caller: Caller, _ logger: Logger) async throws -> JSON {
        try await caller.requireFreshSuperuser("Starting a check", by: clock, in: store)
        if let backup { try requireBackup(backup) }
        guard let checks = maintenance.checks else {
            throw Problem(.conflict, "This server can't check its database. Run `tidemark check`.")
        }
        guard checks.begin(backup) else { throw Problem(.conflict, "A check is under way. Wait until it is done.") }
        work.start { [audit, clock, maintenance, store] in
            await attempt("The check", logger: logger) {
                try await checks.run { report in
                    if backup == nil, report.isSound { store.noteSound() }
                    if let backup {
                        maintenance.backups?.note(.init(at: clock.now(), isSound: report.isSound), of: backup)
                    }
                    let details: [String: JSON] = [
                        "sound": .bool(report.isSound), "rows": .int(Int64(report.rows)),
                        "backup": backup.map(JSON.string) ?? .null,
                    ]
                    try await audit.note(.checked, details, by: caller.actor)
                }
            }
        }
        return checks.json
    }

    /// A folder that can't be listed has no backup that could be checked.
    private func requireBackup(_ name: String) throws {
        let names = (try? maintenance.backups?.files().map(\.name)) ?? []
        guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
            throw Problem(.notFound, "There is no backup with this name.")
        }
    }
}

/// Logs a failure. The state that superusers read has it, too.
private func attempt(_ what: String, logger: Logger, body: () async throws -> Void) async {
    do {
        try await body()
    } catch is CancellationError {
    } catch {
        logger.error("\(what) failed.", metadata: ["error": "\(error)"])
    }
}

/// Runs what a request starts and does not wait for. When the server stops, work under way is cancelled, and the server
/// waits for its end, so the database is not closed before.
final class BackgroundWork: Service {
    private let work: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

    init() { (work, queue) = AsyncStream.makeStream() }

    func start(_ body: @escaping @Sendable () async -> Void) { queue.yield(body) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await body in self.work { group.addTask { await body() } }
            }
        }
    }
}

/// What a server can do to its database besides serving it.
package struct Maintenance: Sendable {
    /// Nil if this server makes no backups.
    package var backups: Backups?
    /// Why there are none, and what to do, in sentences.
    package var withoutBackups = """
        No folder for backups is set. Set TIDEMARK_BACKUP_FOLDER, and start the server again.
        """
    /// Nil if the database can't be checked from here.
    package var checks: Checks?
    /// The folders whose disks should have room.
    package var folders: [WatchedFolder] = []
    /// How many bytes should be free there; 0 for none. `TIDEMARK_DISK_LOW_MB`.
    package var diskLowBytes: Int64 = 1024 << 20

    package init() {}
}
