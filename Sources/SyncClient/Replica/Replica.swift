import Foundation
import GRDB
import SyncProtocol

/// A project's rows in a local SQLite file, one table per collection.
///
/// Every change of the state and every page is one transaction, so a process may die at any moment and a pull goes on
/// from the last page. Several processes may use one file: writers take turns (`FileLock`), and a writer that knows an
/// outdated state changes nothing. A power cut may lose the last pages, which are pulled again (`synchronous` is
/// NORMAL); edits, batches and their answers are on the disk before a method returns (FULL).
///
/// The methods block while another process writes. Closing happens with the last reference.
public struct Replica: Sendable {
    /// Where the file is. SQLite and the lock keep their own files beside it.
    public let path: String
    private let pool: DatabasePool
    private let lock: FileLock
    private let memo = SchemaCache()

    /// Opens the replica of `project`, or makes one where no file is.
    /// Throws `ReplicaError`, `otherProject` when the file is bound to another one.
    public init(path: String, project: String) throws {
        try self.init(openingAt: path)
        try write { try ReplicaFile(path: path).prepare($0, for: project) }
    }

    /// Opens a replica that was made before, whatever its project. Throws `ReplicaError`.
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
        // A checkpoint waits for the disk: at 16 MB, a first pull waits a quarter as often as with SQLite's 4 MB.
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000")
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// Where the replica stands now.
    public func state() throws -> ReplicaState { try read(Self.state) }

    /// The schema that the tables follow, nil before the first pull.
    public func schema() throws -> ServerSchema? {
        try read { try String.fetchOne($0, sql: "SELECT document FROM _schema") }
            .map(memo.schema)
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

    /// One transaction, alone on the file over all processes.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try lock.withLock { try ReplicaError.naming(path) { try pool.write(body) } }
    }

    /// Like `write`, and on the disk when it returns: for what people wrote, which can't be pulled again.
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

    /// One transaction that runs `body` if the state is still `known`, and otherwise changes nothing and answers nil.
    func write<Value>(ifStill known: ReplicaState, _ body: (Database) throws -> Value) throws -> Value? {
        try write { try Self.state($0).step == known.step ? body($0) : nil }
    }
}
