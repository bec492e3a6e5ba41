import Foundation
import GRDB
import SyncProtocol
import Synchronization

/// The rows of a project, or of all projects of a user, in a local SQLite file, one table per collection. In a replica
/// of all projects every table has the column `project_id`.
///
/// What the tables show is a state that was: all that the user could see at the commit `ReplicaState.settled`, with the
/// edits made here on top. Pages that come later wait in the file, and are stored in one transaction when they make up
/// the next such state. Every read is of one, also with SQL of your own, in another process, and after a kill; the
/// exceptions, in which `settled` is nil, are named there.
///
/// Every page and every change of state is one transaction. A process may die at any moment, and the next pull
/// continues from the last page. Several processes may use one file: writers take turns (`FileLock`), and a writer that
/// knows an outdated state changes nothing.
///
/// A power cut may lose the last pages, which are then pulled again (`synchronous` is NORMAL). Edits, batches and their
/// answers are on the disk before a method returns (FULL).
///
/// Methods that write wait while another process writes, for up to 10 seconds; then they throw `ReplicaError.busy`. The
/// file is closed with the last copy of the value.
public struct Replica: Sendable {
    /// The path of the file. SQLite and the lock keep their own files beside it.
    public let path: String
    private let pool: DatabasePool
    private let lock: FileLock
    private let cache: SchemaCache
    /// The schema that the app was built with; nil if it brings none.
    let appSchema: ServerSchema?
    /// The indexes that the app has named, by collection.
    let indexes: [String: [RowIndex]]
    let partFunctions = PartFunctions()
    /// Whether it is in a container that apps and extensions share.
    let isShared: Bool

    /// Opens the replica of `project`, or creates it if there is no file. Throws `ReplicaError`; `otherProject` when
    /// the file belongs to another project.
    public init(path: String, project: String) throws { try self.init(path: path, scope: .project(project)) }

    /// Opens the replica of one project or of all, or creates it if there is no file. Throws `ReplicaError`;
    /// `otherProject` and `otherScope` when the file holds something else.
    ///
    /// `schema` is what the app was built with: the text that `tidemark schema --format jsonschema` prints. With it the
    /// app can add and edit rows before the first pull, without a network. A value is then refused only if both this
    /// schema and the one last fetched refuse it. What only this schema has is stored, too: it goes with the next push
    /// if the server has it by then, and is set aside otherwise (`unknown_field`, `collection_removed`). Throws
    /// `SyncError.unusableSchema` if no replica can be made of it.
    ///
    /// `indexes` are for `rows(_:)`, by collection. An index that is new is made here, which takes a moment for 100,000
    /// rows; it stays in the file.
    ///
    /// With `inSharedContainer`, the replica observes `suspendShared()` and `resumeShared()`.
    public init(
        path: String, scope: SyncScope, schema: String? = nil, indexes: [String: [RowIndex]] = [:],
        inSharedContainer: Bool = false
    ) throws {
        let schema = try schema.map { try ServerSchema(appText: $0, allProjects: scope == .allProjects) }
        try self.init(openingAt: path, appSchema: schema, indexes: indexes, inSharedContainer: inSharedContainer)
        try write { db in
            try ReplicaFile(path: path).prepare(db, for: scope)
            if let known = try Self.storedSchema(of: Self.state(db), db) { try widen(known, db) }
        }
        if let schema, try [nil, ServerSchema.appVersion].contains(state().schemaVersion) { _ = try adopt(schema) }
    }

    /// Opens an existing replica of any project, or of all. Throws `ReplicaError`; `missing` when there is no file.
    public init(existing path: String, inSharedContainer: Bool = false) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw ReplicaError.missing(path: path) }
        try self.init(openingAt: path, inSharedContainer: inSharedContainer)
        try write { try ReplicaFile(path: path).open($0) }
    }

    private init(
        openingAt path: String, appSchema: ServerSchema? = nil, indexes: [String: [RowIndex]] = [:],
        inSharedContainer: Bool
    ) throws {
        self.appSchema = appSchema
        cache = SchemaCache(app: appSchema)
        self.indexes = indexes
        isShared = inSharedContainer
        let lock = FileLock(guarding: path)
        self.path = path
        self.lock = lock
        try ReplicaRights(path: path).checkFolder()
        pool = try lock.withLock {
            try ReplicaRights(path: path).restrict()
            return try ReplicaError.naming(path) { try Self.openPool(path, inSharedContainer) }
        }
    }

    private static func openPool(_ path: String, _ inSharedContainer: Bool) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.observesSuspensionNotifications = inSharedContainer
        // A checkpoint waits for the disk. At 16 MB, a first pull waits a quarter as
        // often as at SQLite's default of 4 MB.
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000")
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// The replica's present state: what it holds, schema version, watermark and drain.
    public func state() throws -> ReplicaState { try read(Self.state) }

    /// The schema that was last fetched; before the first pull the app's, or nil.
    public func schema() throws -> ServerSchema? { try schemas()?.fetched }

    /// What the tables hold: the schema last fetched, and what only the app's has besides. Nil as `schema()`.
    func localSchema() throws -> ServerSchema? { try schemas()?.local }

    func schemas() throws -> SchemaCache.Schemas? {
        try read { try Row.fetchOne($0, sql: "SELECT document, project FROM _schema, _replica") }
            .map { try cache.schemas($0["document"], allProjects: SyncScope(stored: $0["project"]) == .allProjects) }
    }

    static func state(_ db: Database) throws -> ReplicaState {
        guard let state = try ReplicaState.load(db) else { throw DatabaseError(message: "_replica is empty") }
        return state
    }
}

// MARK: Transactions

extension Replica {
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try ReplicaError.naming(path) { try pool.read(body) }
    }

    /// Runs one transaction while no other process writes.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try lock.withLock { try ReplicaError.naming(path) { try pool.write(body) } }
    }

    /// Like `write`, but the transaction is on the disk when this returns. For what people
    /// wrote, which can't be pulled again.
    func writeDurably<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try lock.withLock {
            try ReplicaError.naming(path) { try pool.writeWithoutTransaction { try commit(body, $0) } }
        }
    }

    private func commit<Value>(_ body: (Database) throws -> Value, _ db: Database) throws -> Value {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        defer { try? db.execute(sql: "PRAGMA synchronous = NORMAL") }
        var value: Value?
        try db.inTransaction(.immediate) {
            value = try body(db)
            return .commit
        }
        guard let value else { throw DatabaseError(message: "a transaction did not run") }
        return value
    }

    /// Runs `body` in one transaction if the state is still `known`. Otherwise changes nothing and returns nil.
    func write<Value>(ifStill known: ReplicaState, _ body: (Database) throws -> Value) throws -> Value? {
        try write { try Self.state($0).step == known.step ? body($0) : nil }
    }
}

extension Replica {
    /// What the replica tells servers of itself: the id that its uploads have too, and how the last drain's comparison
    /// with the server's digest ended (`same`, `differs`, nil if there was none).
    func device() throws -> (id: String, comparison: String?) {
        try read { db in
            let row = try Row.fetchOne(db, sql: "SELECT device, compared FROM _replica")
            return (row?["device"] ?? "", row?["compared"])
        }
    }

    /// Keeps the result of a comparison, which the next requests tell the server; nil if there was none.
    static func note(_ comparison: String?, _ db: Database) throws {
        try db.execute(sql: "UPDATE _replica SET compared = ?", arguments: [comparison])
    }
}

extension Replica {
    /// The collections whose rows do not match the server's digest, in the schema's order.
    /// Collections without a digest are left out. `project` is nil in a replica of one project.
    static func differing(
        from digests: [String: CollectionDigest], in project: String?, _ schema: ServerSchema, _ db: Database
    ) throws -> [String] {
        try schema.collections.map(\.name).filter { name in
            guard let digest = digests[name] else { return false }
            return try self.digest(of: name, in: project, db) != digest
        }
    }

    /// The digest of the rows that the server has. Rows that were created here and never delivered by the server are
    /// left out, even if they were deleted again, and so are those that are in no part any more. A digest covers ids
    /// and versions; unsent edits change neither.
    private static func digest(of collection: String, in project: String?, _ db: Database) throws -> CollectionDigest {
        let isOfProject = project.map { " AND \(ProjectColumn.name) = \(ProjectColumn.literal($0))" } ?? ""
        let isInside =
            try OutsideRows(db: db).isEmpty ? "" : " AND id NOT IN (SELECT id FROM _outside WHERE collection = :name)"
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, server_version FROM \(SQLName.quoted(collection))
                WHERE NOT (_status <> 'synced' AND server_version = 0)\(isOfProject)\(isInside)
                """, arguments: isInside.isEmpty ? [] : ["name": collection])
        var digest = CollectionDigest.empty
        while let row = try rows.next() { digest.insert(row[0], ServerVersion(row[1] as Int64)) }
        return digest
    }
}

extension Replica {
    /// Removes every row of a replica of one project, forgets its files and voids the watermark, in one transaction.
    /// Rows with unsent edits are copied to `_set_aside` first; returns how many. Repeating the call changes nothing.
    func wipe(_ reason: WipeReason, at time: Instant) throws -> Int {
        let schema = try schema()
        return try write { db in
            let count = try Self.tables(db).reduce(0) { count, table in
                let aside = SetAside(reason: reason.rawValue, time: time.text)
                let moved = try aside.copyUnsent(
                    db, table: table, schema: schema?[table], where: "NOT \(Self.isAnsweredDeletion(table))")
                try db.execute(sql: "DELETE FROM \(SQLName.quoted(table))")
                return count + moved
            }
            try db.execute(sql: "DELETE FROM _batch; DELETE FROM _refused")
            try OutsideRows(db: db).forgetAll()
            try FileTable(db: db).removeAll()
            var next = try Self.state(db).reset(resync: true)
            // No row is left that a drain has delivered.
            next.drainNumber = 0
            try next.save(db)
            return count
        }
    }

    /// The tables of all collections, including those that the schema no longer has.
    static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            .filter { !$0.hasPrefix("_") && !$0.hasPrefix("sqlite_") }
    }
}

/// Keeps the schema that was read last. Every edit and every page needs it, it hardly ever changes, and
/// parsing it takes longer than either.
final class SchemaCache: Sendable {
    /// See `Replica.schema()` and `localSchema()`.
    struct Schemas: Sendable {
        let fetched: ServerSchema
        let local: ServerSchema
    }

    private let app: ServerSchema?
    private let last = Mutex<(text: String, schemas: Schemas)?>(nil)

    init(app: ServerSchema?) { self.app = app }

    /// The schema in the JSON document `text`. Throws `JSONError` and `SyncError.unusableSchema`.
    func schemas(_ text: String, allProjects: Bool) throws -> Schemas {
        if let last = last.withLock({ $0 }), last.text == text, last.schemas.fetched.isForAllProjects == allProjects {
            return last.schemas
        }
        let fetched = try ServerSchema(JSON(parsing: text), allProjects: allProjects)
        let schemas = Schemas(fetched: fetched, local: fetched.widened(by: app))
        last.withLock { $0 = (text, schemas) }
        return schemas
    }
}
