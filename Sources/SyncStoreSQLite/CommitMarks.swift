import GRDB
import GRDBSQLite
import SyncEngine
import Synchronization

/// Asks SQLite whether anybody has committed, this process or another. On a connection of its own, which never writes, so
/// that every commit is another connection's, which is what `PRAGMA data_version` tells:
/// https://sqlite.org/pragma.html#pragma_data_version
///
/// A raw connection in a `Mutex` where a GRDB queue would do, because every request asks: the question takes two
/// microseconds, and a thread that has to wait for its turn at a queue is put to sleep.
///
/// `@unchecked Sendable` because connection and statement are used in the mutex alone, and ended once: by `close`, or else in
/// `deinit`.
final class CommitMarks: @unchecked Sendable {
    private let connection: SQLiteConnection
    private let question: SQLiteStatement
    private let isOpen = Mutex(true)

    init(path: String) throws {
        var connection: SQLiteConnection?
        var question: SQLiteStatement?
        sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        sqlite3_busy_timeout(connection, Int32(SQLiteStore.busyTimeout * 1000))
        sqlite3_prepare_v2(connection, "PRAGMA data_version", -1, &question, nil)
        guard let connection, let question else {
            sqlite3_close_v2(connection)
            throw StoreError(
                "Can't open the database \(path) twice.", hint: "Check the limit on open files (ulimit -n).")
        }
        (self.connection, self.question) = (connection, question)
    }

    deinit { close() }

    /// Nothing can be asked any more.
    func close() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            sqlite3_finalize(question)
            sqlite3_close_v2(connection)
        }
    }

    func now() throws -> CommitMark {
        try isOpen.withLock { isOpen in
            guard isOpen else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The store is closed.") }
            defer { sqlite3_reset(question) }
            let code = sqlite3_step(question)
            guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            return CommitMark(sqlite3_column_int64(question, 0))
        }
    }
}
