import Foundation
import GRDB
import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncStoreSQL

/// The store on one SQLite file: WAL, one writer, readers beside it.
///
/// A commit is durable before `write` returns: the writer runs at `synchronous=FULL`, which is read back on opening.
/// The file is opened once; its connection never leaves the store.
package struct SQLiteStore: SyncStore {
    /// Seconds that a statement waits for another process.
    static let busyTimeout = 10

    /// Who opens the file.
    package enum Opener: Sendable {
        /// The one server: holds the file's lock, and alone moves the WAL into the database.
        case server
        /// A command next to it: never checkpoints, and writes only while no checkpoint runs. SQLite before 3.51.3 can
        /// corrupt a database where a commit meets the reset of the WAL: https://sqlite.org/wal.html#walresetbug
        case guest
    }

    let pool: DatabasePool
    let registry: Registry
    let tables: [String: SQLiteTable]
    let checkpoints: Checkpoints
    let writes: WriteQueue
    let inlineReads: InlineReader
    let marks: CommitMarks
    let failures = StoreFailure()
    /// Whether there was nothing before.
    package let isNew: Bool
    /// What opening the file did to the rights of others.
    package let rightsAtOpening: PrivateFiles
    /// What opening the file did to it, if it was a restored backup.
    package let jumpAtOpening: RestoreJump?
    /// What opening the file did to rows that don't follow a changed schema.
    package let mendingAtOpening: Mending
    let serverLock: FileLock?

    /// Opens the file, makes it where it is missing, and brings its tables in line with the schema.
    ///
    /// `mender` has rows follow a changed schema. Without `groupsWrites` no two writes share a commit; with `mustExist` a missing file is refused. `jumpFactor` is
    /// asked where the file is a restored backup. Throws `StoreError` and `SchemaError`, both with what to do. What is
    /// refused for what it is, is left as it was.
    package init(
        path: String, registry: Registry, opener: Opener, mender: any RowMender, groupsWrites: Bool = true,
        mustExist: Bool = false, jumpFactor: @Sendable () -> Int64 = RestoreJump.randomFactor
    ) throws {
        self.registry = registry
        try TableNames.check(registry, SQLiteDialect())
        isNew = try DatabaseFile(path).requireWritable(mustExist: mustExist)
        tables = [String: SQLiteTable](registry)
        serverLock = opener == .server ? try SQLiteStore.lock(path) : nil
        rightsAtOpening = PrivateFiles(database: path)
        let checkpoints = try Checkpoints(path: path, opener: opener)
        // GRDB commits where it turns WAL on.
        let pool = try checkpoints.guarded { try SQLiteStore.open(path) }
        (self.checkpoints, self.pool) = (checkpoints, pool)
        (jumpAtOpening, mendingAtOpening) = try failures.translated {
            try checkpoints.guarded {
                try pool.writeWithoutTransaction {
                    let migration = SchemaMigration(path: path, registry: registry, opener: opener, mender: mender)
                    return try SQLiteStore.prepare($0, migration, jumpFactor)
                }
            }
        }
        writes = WriteQueue(pool, checkpoints, groups: groupsWrites)
        inlineReads = try InlineReader(path: path, configuration: SQLiteStore.configuration)
        marks = try CommitMarks(path: path)
        // Guests leave their commits in the WAL.
        pool.writeWithoutTransaction { checkpoints.runIfDue($0) }
    }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await failures.translated {
            try await pool.read { try body(SQLiteTransaction($0, self, scope)) }
        }
    }

    /// Runs on the dispatch queue of the reader's connection, never on a thread of Swift's cooperative pool: blocking
    /// is allowed there, and keeps that one of four readers.
    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws {
        let long = checkpoints.longRead()
        defer { long.end() }
        try await read(scope) { try body($0, long.begin) }
    }

    /// Waits for nothing, so that a caller pays for no suspension.
    package func readInline<Value>(
        _ scope: StoreScope, _ body: (any ReadTransaction) throws -> Value
    ) throws -> Value {
        try failures.translated { try inlineReads.read { try body(SQLiteTransaction($0, self, scope)) } }
    }

    /// A commit to the file counts for every project and user. Waits for nothing.
    package func mark(of scope: MarkScope) throws -> CommitMark {
        try failures.translated {
            switch scope {
            case .project, .user: try marks.now()
            case .accounts: try marks.accounts()
            }
        }
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await failures.translated {
            try await writes.write { try body(SQLiteTransaction($0, self, scope)) }
        }
    }

    // MARK: Opening

    private static func lock(_ path: String) throws -> FileLock {
        let lock = try FileLock(path: path + "-lock")
        guard lock.tryLock() else {
            throw StoreError(
                "Another server has \(path) open.", hint: "Stop it first, or give this one a file of its own.")
        }
        return lock
    }

    /// Tables and, in a restored backup, numbers: one transaction, before anything else is written.
    private static func prepare(
        _ db: Database, _ migration: SchemaMigration, _ jumpFactor: () -> Int64
    ) throws -> (RestoreJump?, Mending) {
        try makeDurable(db)
        var (jump, mending): (RestoreJump?, Mending) = (nil, Mending())
        // Within a transaction this can't be changed: https://sqlite.org/pragma.html#pragma_foreign_keys
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        try db.inTransaction(.immediate) {
            mending = try migration.run(db)
            // A guest's may be on the way; the one server begins anew.
            if migration.opener == .server { try UnfinishedProjects(registry: migration.registry).forget(nil, db) }
            try mark(db)
            jump = try RestoreJump.ifMarked(db, factor: jumpFactor)
            return .commit
        }
        try db.execute(sql: "PRAGMA foreign_keys = ON")
        return (jump, mending)
    }

    /// So that a file is known for one of ours.
    private static func mark(_ db: Database) throws {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") != DatabaseFile.mark else { return }
        try db.execute(sql: "PRAGMA application_id = \(DatabaseFile.mark)")
    }

    /// Of every connection.
    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "tidemark"
        configuration.busyMode = .timeout(TimeInterval(SQLiteStore.busyTimeout))
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "PRAGMA journal_size_limit = \(Checkpoints.walLimit)")
            try RowChecksum.register(on: db)
        }
        return configuration
    }

    private static func open(_ path: String) throws -> DatabasePool {
        do {
            return try DatabasePool(path: path, configuration: configuration)
        } catch let error as DatabaseError {
            throw error.saysDamage ? StoreError.damaged(by: error) : StoreError.unusable(path, error)
        }
    }

    /// GRDB sets `synchronous=NORMAL` on the writer when it turns WAL on, after `prepareDatabase`; so it is set here,
    /// and read back, because in WAL mode only FULL syncs each commit:
    /// https://sqlite.org/pragma.html#pragma_synchronous
    private static func makeDurable(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // A batch of new ids touches pages all over the indexes; with SQLite's 2 MB they would go to the log and come
        // back in the middle of it: https://sqlite.org/pragma.html#pragma_cache_size
        try db.execute(sql: "PRAGMA cache_size = -16384")
        // A savepoint keeps the pages that it changes as they were: in memory, where they would go to a file from 64 KB
        // on. https://sqlite.org/tempfiles.html#statement_journal_files
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
        guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
            throw StoreError("The database does not run at synchronous=FULL.", hint: "Report this; data could be lost.")
        }
    }
}
