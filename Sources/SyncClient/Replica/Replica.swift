import Foundation
import GRDB
import SyncProtocol

/// The rows of a project, or of all projects of a user, in a local SQLite file, one table per collection. In a replica
/// of all projects every table has the column `project_id`.
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
    private let cache = SchemaCache()

    /// Opens the replica of `project`, or creates it if there is no file. Throws `ReplicaError`; `otherProject` when
    /// the file belongs to another project.
    public init(path: String, project: String) throws { try self.init(path: path, scope: .project(project)) }

    /// Opens the replica of one project or of all, or creates it if there is no file. Throws `ReplicaError`;
    /// `otherProject` and `otherScope` when the file holds something else.
    public init(path: String, scope: SyncScope) throws {
        try self.init(openingAt: path)
        try write { try ReplicaFile(path: path).prepare($0, for: scope) }
    }

    /// Opens an existing replica of any project, or of all. Throws `ReplicaError`; `missing` when there is no file.
    public init(existing path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw ReplicaError.missing(path: path) }
        try self.init(openingAt: path)
        try write { try ReplicaFile(path: path).open($0) }
    }

    private init(openingAt path: String) throws {
        let lock = FileLock(guarding: path)
        self.path = path
        self.lock = lock
        try ReplicaRights(path: path).checkFolder()
        pool = try lock.withLock {
            try ReplicaRights(path: path).restrict()
            return try ReplicaError.naming(path) { try Self.openPool(path) }
        }
    }

    private static func openPool(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        // A checkpoint waits for the disk. At 16 MB, a first pull waits a quarter as
        // often as at SQLite's default of 4 MB.
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000")
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// The replica's present state: what it holds, schema version, watermark and drain.
    public func state() throws -> ReplicaState { try read(Self.state) }

    /// The schema that the tables follow; nil before the first pull.
    public func schema() throws -> ServerSchema? {
        try read { try Row.fetchOne($0, sql: "SELECT document, project FROM _schema, _replica") }
            .map { try cache.schema($0["document"], allProjects: SyncScope(stored: $0["project"]) == .allProjects) }
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
