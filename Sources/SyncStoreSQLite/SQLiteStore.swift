import Foundation
import GRDB
import GRDBSQLite
import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL

/// The store on one SQLite file in WAL mode: one writer, and readers beside it.
///
/// A commit is durable before `write` returns. The writer runs at `synchronous=FULL`, which is read back when the file
/// is opened. The file is opened once, and its connection never leaves the store.
///
/// It is a class because each request copies it several times, and all cores would count the references to its parts.
package final class SQLiteStore: SyncStore {
    /// The seconds that a statement waits for another process.
    static let busyTimeout = 10

    /// Who opens the file.
    package enum Opener: Sendable {
        /// The only server: it holds the file's lock, and only it moves the WAL into the database.
        case server
        /// A command that needs the file for itself, and holds it as a server does.
        case sole
        /// A command beside the server. It never checkpoints, and writes only while no checkpoint runs. SQLite before
        /// 3.51.3 can corrupt a database if a commit coincides with a reset of the WAL:
        /// https://sqlite.org/wal.html#walresetbug
        case guest
        /// A guest that restores: `tidemark restored`.
        case restorer

        var holdsFile: Bool { self == .server || self == .sole }

        /// Whether it may open a backup that waits for its restore. Opening one for writing is the restore.
        var restores: Bool { self == .server || self == .restorer }
    }

    let pool: DatabasePool
    let tables: CollectionTables
    let partStatements = PartStatements()
    package var registry: Registry { tables.registry }
    let checkpoints: Checkpoints
    let writes: WriteQueue
    let inlineReads: InlineReader
    let marks: CommitMarks
    let failures = StoreFailure()
    let reserve: DiskReserve
    /// Whether the file was missing or empty before it was opened.
    package let isNew: Bool
    /// Which files were closed to other users when the store was opened.
    package let rightsAtOpening: PrivateFiles
    /// The jump that opening made, if the file was a restored backup.
    package let jumpAtOpening: RestoreJump?
    /// How opening changed rows that don't follow a changed schema.
    package let mendingAtOpening: Mending
    let serverLock: FileLock?
    /// Nil for a backup that is only looked at.
    let nameLock: NameLock?
    /// The file's name, unless a file that was moved is accepted. Every write of a guest looks, since the file may have
    /// been moved after the guest has opened it. A server holds the lock that a move needs.
    private let movedCheck: String?
    private var isGuest: Bool { serverLock == nil }
    /// The name of a backup that waits for its restore and is only looked at. Nil for a file that is in use.
    private let waitingBackup: String?

    /// Opens the file, makes it if it is missing, and brings its tables in line with the schema.
    ///
    /// `mender` makes rows follow a changed schema. Without `groupsWrites`, no two writes share a commit. With
    /// `mustExist`, a missing file is refused. With `acceptsMoved`, a file that was moved or is an unfinished copy is
    /// not refused. A backup that waits for its restore is refused, unless the opener restores it; then `jumpFactor` is
    /// called. `longReadGrowth` is how many bytes the log may grow during a stream, before that is cut. `reservedBytes`
    /// are kept for a full disk if the opener is a server.
    ///
    /// Throws `StoreError` and `SchemaError`, which both say what to do. A
    /// file that is refused because of its kind or version is not changed.
    package init(
        path name: String, registry: Registry, opener: Opener, mender: any RowMender, groupsWrites: Bool = true,
        mustExist: Bool = false, acceptsMoved: Bool = false, longReadGrowth: Int = Checkpoints.longReadGrowth,
        reservedBytes: Int = 0, jumpFactor: @Sendable () -> Int64 = RestoreJump.randomFactor
    ) throws {
        try TableNames.check(registry, SQLiteDialect())
        let file = DatabaseFile(name)
        let path = file.path
        isNew = try file.requireWritable(mustExist: mustExist)
        if !isNew, !opener.restores { try file.refuseWaiting() }
        tables = CollectionTables(registry, SQLiteDialect())
        serverLock = opener.holdsFile ? try SQLiteStore.lock(file.names) : nil
        rightsAtOpening = PrivateFiles(database: path)
        let nameLock = try NameLock(path, holdsFile: opener.holdsFile)
        reserve = DiskReserve(
            database: path, size: reservedBytes, isHolder: opener == .server, failures.troubles)
        self.nameLock = nameLock
        movedCheck = acceptsMoved ? nil : path
        waitingBackup = nil
        let checkpoints = try Checkpoints(names: file.names, opener: opener, longReadGrowth: longReadGrowth)
        let movedCheck = movedCheck
        let configuration = SQLiteStore.configuration(keeping: nameLock.keeper)
        // GRDB commits when it turns WAL on.
        let pool = try checkpoints.guarded { try SQLiteStore.open(path, configuration) }
        try nameLock.requireSame(path)
        self.checkpoints = checkpoints
        self.pool = pool
        (jumpAtOpening, mendingAtOpening) = try reserve.spending { [failures] in
            try failures.translated {
                try checkpoints.guarded {
                    try pool.writeWithoutTransaction {
                        let migration = FileMigration(path: path, registry: registry, opener: opener, mender: mender)
                        return try SQLiteStore.prepare(
                            $0, migration: migration, movedCheck: movedCheck, jumpFactor: jumpFactor)
                    }
                }
            }
        }
        writes = WriteQueue(pool, checkpoints, groups: groupsWrites) { [reserve] in reserve.giveUp() }
        inlineReads = try InlineReader(path: path, configuration: configuration)
        marks = try CommitMarks(path: path, keeping: nameLock.keeper)
        // Not before: opening may have needed the room.
        reserve.look()
        // Guests leave their commits in the WAL.
        pool.writeWithoutTransaction { checkpoints.runIfDue($0) }
    }

    /// Opens a backup that waits for its restore, to look at it. Nothing of it changes, and no file is made beside it.
    /// Every write throws. The collections are those that the backup was made with. Nil for any other file, and if
    /// there is none.
    package init?(waitingForRestore path: String) throws {
        let file = DatabaseFile(path)
        guard try file.isWaiting() else { return nil }
        try file.requireCurrentBackup()
        tables = CollectionTables(try RecordedSchemas.registry(file.setting("schemas")), SQLiteDialect())
        var configuration = SQLiteStore.configuration(keeping: nil)
        configuration.readonly = true
        let name = file.nameToWatch
        checkpoints = Checkpoints(withoutLock: file.path)
        reserve = DiskReserve(database: path, size: 0, isHolder: false, failures.troubles)
        do {
            pool = try DatabasePool(path: name, configuration: configuration)
            inlineReads = try InlineReader(path: name, configuration: configuration)
        } catch let error as DatabaseError {
            throw StoreError.unusable(path, error)
        }
        marks = try CommitMarks(path: name)
        writes = WriteQueue(pool, checkpoints, groups: false)
        isNew = false
        rightsAtOpening = .untouched
        jumpAtOpening = nil
        mendingAtOpening = Mending()
        serverLock = nil
        nameLock = nil
        movedCheck = nil
        waitingBackup = file.path
    }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await failures.translated {
            try await pool.read { try body(SQLiteTransaction($0, store: self, scope: scope)) }
        }
    }

    /// Runs on the dispatch queue of the reader's connection, never on a thread of Swift's cooperative pool. Blocking
    /// is allowed there. It occupies one of the four readers.
    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws {
        let long = checkpoints.longRead()
        defer { long.end() }
        try await read(scope) { try body($0) { try long.begin(cut: $0) } }
    }

    /// Never waits, so the caller pays for no suspension.
    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) throws -> Value {
        try failures.translated { try inlineReads.read { try body(SQLiteTransaction($0, store: self, scope: scope)) } }
    }

    /// Every commit to the file counts for every project and user. Never waits.
    package func mark(of scope: MarkScope) throws -> CommitMark {
        try failures.translated {
            switch scope {
            case .project, .user, .numbers: try marks.now()
            case .accounts: try marks.accounts()
            }
        }
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        if let waitingBackup { throw StoreError.waitsForRestore(waitingBackup) }
        return try await failures.translated {
            if priority == .ordinary, reserve.isFull { return try await unwritten(scope, body) }
            do {
                return try await queued(scope, priority: priority, body)
            } catch is FullMeanwhile {
                return try await unwritten(scope, body)
            } catch DatabaseError.SQLITE_FULL {
                guard priority == .vital else { return try await unwritten(scope, body) }
                return try await queued(scope, priority: priority, body)
            }
        }
    }

    private func queued<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await writes.write {
            if priority == .ordinary, self.reserve.isFull { throw FullMeanwhile() }
            if self.isGuest { try SQLiteStore.requireServable($0, self.movedCheck) }
            return try body(SQLiteTransaction($0, store: self, scope: scope))
        }
    }

    /// What an ordinary write returns while the disk is full: `body` runs where nothing can be written. Throws
    /// `disk_full` if it tries to.
    private func unwritten<Value: Sendable>(
        _ scope: StoreScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.read { try body(SQLiteTransaction($0, store: self, scope: scope)) }
        } catch DatabaseError.SQLITE_READONLY {
            throw Problem.diskFull
        }
    }

    /// Thrown when the disk was found full by a write before this one.
    private struct FullMeanwhile: Error {}

    package var troubles: StoreTroubles { failures.troubles.current }

    package func noteSound() { failures.troubles.clear(.damaged) }

    /// Looks for room if the disk is full, and tries to write if the database takes no writes.
    package func recover() async {
        reserve.look()
        guard troubles.contains(.readOnly) else { return }
        let write: Void? = try? await write(.installation, priority: .vital) {
            _ = try ($0 as? SQLiteTransaction)?.db.execute(sql: Self.probe)
        }
        if write != nil { failures.troubles.clear(.readOnly) }
    }

    /// Writes what is there already, which SQLite writes to the log all the same.
    private static let probe = "UPDATE tidemark_settings SET value = value"

    package func onCommit(_ body: @escaping @Sendable () -> Void) { writes.onCommit(body) }

    // MARK: Opening

    private static func lock(_ names: DatabaseNames) throws -> FileLock {
        let lock = try names.lock("-lock")
        guard lock.tryLock() else { throw StoreError.servedAlready(names.path) }
        return lock
    }

    /// Migrates the tables and, in a restored backup, raises the numbers.
    /// Both happen in one transaction, before anything else is written.
    private static func prepare(
        _ db: Database, migration: FileMigration, movedCheck: String?, jumpFactor: () -> Int64
    ) throws -> (RestoreJump?, Mending) {
        try makeDurable(db)
        var (jump, mending): (RestoreJump?, Mending) = (nil, Mending())
        // This can't be changed inside a transaction: https://sqlite.org/pragma.html#pragma_foreign_keys
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        try db.inTransaction(.immediate) {
            try requireServable(db, movedCheck)
            // Looked at again, because the file may have been replaced since.
            if !migration.opener.restores { try RestoreJump.refuseMarked(db, migration.path) }
            mending = try migration.run(db)
            // A guest does not do this, because another process may be creating
            // a project right now. A server that starts is creating none.
            let tables = CollectionTables(migration.registry, SQLiteDialect())
            if migration.opener.holdsFile {
                try SQLiteTransaction(db, tables: tables).forgetAllUnfinished()
            }
            try mark(db)
            jump = try RestoreJump.ifMarked(db, tables, factor: jumpFactor)
            return .commit
        }
        try db.execute(sql: "PRAGMA foreign_keys = ON")
        return (jump, mending)
    }

    /// Throws a `StoreError` if the file was moved. Does nothing without a name.
    private static func requireServable(_ db: Database, _ name: String?) throws {
        guard let name, try db.tableExists("tidemark_settings") else { return }
        try DatabaseMove.requireServable(name) { try db.setting($0) }
    }

    /// Identifies the file as a Tidemark database.
    private static func mark(_ db: Database) throws {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") != DatabaseFile.mark else { return }
        try db.execute(sql: "PRAGMA application_id = \(DatabaseFile.mark)")
    }

    /// The configuration of every connection. The connections keep the open file.
    private static func configuration(keeping file: NameLock.Keeper?) -> Configuration {
        var configuration = Configuration()
        configuration.label = "tidemark"
        configuration.busyMode = .timeout(TimeInterval(SQLiteStore.busyTimeout))
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            withExtendedLifetime(file) {}
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "PRAGMA journal_size_limit = \(Checkpoints.walLimit)")
            try RowChecksum.register(on: db)
        }
        return configuration
    }

    private static func open(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
        do {
            return try DatabasePool(path: path, configuration: configuration)
        } catch let error as DatabaseError {
            throw error.saysDamage ? StoreError.damaged(by: error) : StoreError.unusable(path, error)
        }
    }

    /// GRDB sets `synchronous=NORMAL` on the writer when it turns WAL on, after `prepareDatabase`. So it is set here
    /// and read back. In WAL mode only FULL syncs each commit: https://sqlite.org/pragma.html#pragma_synchronous
    private static func makeDurable(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // A batch of new ids touches pages all over the indexes. With SQLite's default cache of 2 MB, pages would be
        // written to the log and read back in the middle of the batch: https://sqlite.org/pragma.html#pragma_cache_size
        try db.execute(sql: "PRAGMA cache_size = -16384")
        // A savepoint keeps copies of the pages that it changes. This keeps them in memory; from 64 KB on they would go
        // to a file: https://sqlite.org/tempfiles.html#statement_journal_files
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
        guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
            throw StoreError("The database does not run at synchronous=FULL.", hint: "Report this. Data could be lost.")
        }
    }
}

extension SQLiteStore {
    /// Opens a file beside a server, with the collections that it was made for, so opening changes nothing of it.
    /// Throws a `StoreError` for a file that opening would change: one of an older version, a backup, or an unfinished
    /// copy.
    package convenience init(asItIs path: String, mender: any RowMender) throws {
        let file = DatabaseFile(path)
        try file.requireReadable()
        guard LayoutVersion.number(try file.setting("layout")) == LayoutVersion.current else {
            throw StoreError("\(path) was made by an older version of Tidemark.", hint: "Start a server on it once.")
        }
        guard try file.setting(RestoreJump.mark) == nil else {
            throw StoreError("\(path) is a backup itself.", hint: "Nothing needs to be done.")
        }
        try self.init(
            path: path, registry: RecordedSchemas.registry(file.setting("schemas")), opener: .guest, mender: mender,
            mustExist: true)
    }
}

extension SQLiteStore {
    /// Closes all connections when their present work is done, and moves the log into the database, so the file alone
    /// is complete. The store can't be used afterwards.
    ///
    /// The connection that SQLite finds to be the last one moves and deletes the log, if it may write:
    /// https://sqlite.org/wal.html. So the readers close first, including the pool's, which would otherwise close last.
    /// If another process has the file open, the log stays, because that process uses it. A guest closes under the
    /// checkpoint lock, because another guest may be about to commit.
    package func close() throws {
        marks.close()
        try inlineReads.close()
        pool.releaseMemory()
        try checkpoints.guarded { try pool.close() }
        nameLock?.unlock()
        serverLock?.unlock()
    }
}

extension SQLiteStore {
    /// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes.
    /// One transaction, which also adds `entry` to the audit list. A server on the same file can go on serving.
    package func prune(
        noting entry: @escaping @Sendable (PruneReport) -> AuditEntry? = { _ in nil }
    ) async throws -> PruneReport {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var report = PruneReport()
                    try db.inTransaction(.immediate) {
                        let transaction = SQLiteTransaction(db, tables: tables)
                        report = try Prune(SQLiteTables(transaction)).run()
                        try entry(report).map(transaction.audit)
                        return .commit
                    }
                    return report
                }
            }
        }
    }
}

extension SQLiteStore {
    package var metrics: StoreMetrics {
        var metrics = StoreMetrics()
        let version = SQLiteVersion.running
        metrics.engine = "SQLite \(version.text)"
        metrics.layout = LayoutVersion.current
        if version.hasLogResetFault {
            metrics.flaws = [
                "\(metrics.engine) has a fault that can damage the database if other programs write to it or copy it "
                    + "while the server runs. Use only Tidemark's own commands, or SQLite 3.51.3 or later."
            ]
        }
        metrics.groups = writes.groupSizes
        metrics.waitingWrites = writes.count
        metrics.oldestWrite = writes.oldestAge
        metrics.logBytes = checkpoints.walSize
        metrics.freeBytes = StoreMetrics.freeBytes(at: pool.path)
        return metrics
    }
}

/// A release of SQLite as `sqlite3_libversion_number` returns it: 3.40.1 is 3_040_001.
struct SQLiteVersion {
    let number: Int

    /// The library that this process uses.
    static var running: SQLiteVersion { SQLiteVersion(number: Int(sqlite3_libversion_number())) }

    /// Whether a commit of one connection can damage the file while another connection resets the log:
    /// https://sqlite.org/wal.html#the_wal_reset_bug
    var hasLogResetFault: Bool {
        switch number {
        case ..<3_007_000, 3_051_003...: false
        case 3_050_007..<3_051_000, 3_044_006..<3_045_000: false
        default: true
        }
    }

    var text: String { "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)" }
}

/// A read-only connection for reads that are too short to hand over to a reader's queue.
struct InlineReader: Sendable {
    private let queue: DatabaseQueue

    init(path: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.readonly = true
        configuration.label = "tidemark inline reader"
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func close() throws { try queue.close() }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.unsafeRead { db in
            // `inTransaction` would compile its statements each time.
            try db.cachedStatement(sql: "BEGIN").execute()
            defer { try? db.cachedStatement(sql: "COMMIT").execute() }
            return try body(db)
        }
    }
}

/// The rights of a database's files. They hold the key that signs access tokens, and
/// everybody's rows. So they are made for their owner alone. Files that an older
/// version made readable for everybody are closed to others when they are next opened.
///
/// Rights for a group only, such as 0640, are somebody's choice and stay. SQLite gives the log and the shared memory
/// the rights of the database: https://sqlite.org/src/file?name=src/os_unix.c (`findCreateFileMode`).
package struct PrivateFiles: Sendable, Equatable {
    /// Files that others could read or write until now.
    package private(set) var closed: [String] = []
    /// Files that others can still read or write, because this process may not change their rights.
    package private(set) var open: [String] = []

    /// No file was looked at.
    static let untouched = PrivateFiles()

    private init() {}

    /// Makes an empty file if there is none, and closes existing files to others.
    init(database path: String) {
        PrivateFiles.make(path)
        for file in [path, path + "-wal", path + "-shm"] { close(file) }
    }

    /// Errors are ignored here, because opening the file reports them with better messages. An existing file is not
    /// opened: closing it again would release the locks that this process may hold on it.
    private static func make(_ path: String) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Foundation.close(descriptor) }
    }

    private mutating func close(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { return }
        if chmod(file, status.st_mode & 0o600) == 0 { closed.append(file) } else { open.append(file) }
    }
}
