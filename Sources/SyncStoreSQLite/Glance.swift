import GRDB
import GRDBSQLite
import SyncEngine

/// A read-only connection for looks that are too short for a hop to a reader's queue. It never writes, so that every
/// commit is another connection's, which is what `PRAGMA data_version` tells:
/// https://sqlite.org/pragma.html#pragma_data_version
struct Glance: Sendable {
    private let queue: DatabaseQueue

    init(path: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.readonly = true
        configuration.label = "tidemark glance"
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.unsafeRead { db in
            var value: Value?
            try db.inTransaction(.deferred) {
                value = try body(db)
                return .commit
            }
            return value!
        }
    }

    func mark() throws -> CommitMark {
        try queue.unsafeRead { db in
            let statement = try db.cachedStatement(sql: "PRAGMA data_version").sqliteStatement
            defer { sqlite3_reset(statement) }
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            return CommitMark(sqlite3_column_int64(statement, 0))
        }
    }
}
