import GRDB
import GRDBSQLite
import SyncStore
import Synchronization

/// Asks SQLite whether anybody has committed, in this process or another. It uses a connection of its own that never
/// writes. So every commit is another connection's, and `PRAGMA data_version` reports it:
/// https://sqlite.org/pragma.html#pragma_data_version
///
/// It is a raw connection in a `Mutex`, not a GRDB queue, because every request asks. The query takes two microseconds,
/// and a thread that has to wait for its turn at a queue is put to sleep.
///
/// `@unchecked Sendable` because the connection and the statements are used only inside the mutex. They are finalized
/// once, by `close` or in `deinit`.
final class CommitMarks: @unchecked Sendable {
    private struct State {
        var isOpen = true
        /// The count of account changes as of a commit.
        var accounts: (commit: Int64, changes: Int64)?
    }

    /// Ends after the connection. See `NameLock`.
    private let file: NameLock.Keeper?
    private let connection: SQLiteConnection
    private let version: SQLiteStatement
    private let accountChanges: SQLiteStatement
    private let state = Mutex(State())

    init(path: String, keeping file: NameLock.Keeper? = nil) throws {
        self.file = file
        var connection: SQLiteConnection?
        sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        sqlite3_busy_timeout(connection, Int32(SQLiteStore.busyTimeout * 1000))
        let questions = ["PRAGMA data_version", AccountChanges.question].map { sql in
            var statement: SQLiteStatement?
            sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
            return statement
        }
        guard let connection, let version = questions[0], let accountChanges = questions[1] else {
            for question in questions { sqlite3_finalize(question) }
            sqlite3_close_v2(connection)
            throw StoreError(
                "Can't open a second connection to \(path).", hint: "Check the limit on open files (ulimit -n).")
        }
        self.connection = connection
        self.version = version
        self.accountChanges = accountChanges
    }

    deinit { close() }

    /// Afterwards every call throws.
    func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            for question in [version, accountChanges] { sqlite3_finalize(question) }
            sqlite3_close_v2(connection)
        }
    }

    /// Changes with every commit to the file.
    func now() throws -> CommitMark { CommitMark(try state.withLock { try commit($0) }) }

    /// Changes only with commits that took something from an account. Looked up once for each commit.
    func accounts() throws -> CommitMark {
        try state.withLock { state in
            let commit = try commit(state)
            if let known = state.accounts, known.commit == commit { return CommitMark(known.changes) }
            let changes = try answer(to: accountChanges)
            state.accounts = (commit, changes)
            return CommitMark(changes)
        }
    }

    private func commit(_ state: State) throws -> Int64 {
        guard state.isOpen else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The store is closed.") }
        return try answer(to: version)
    }

    private func answer(to question: SQLiteStatement) throws -> Int64 {
        defer { sqlite3_reset(question) }
        let code = sqlite3_step(question)
        guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        return sqlite3_column_int64(question, 0)
    }
}

/// Counts changes that may take something from an account. The count is in the file, so commands beside the server are
/// counted too. Triggers do it, so no statement can bypass it: https://sqlite.org/lang_createtrigger.html
enum AccountChanges {
    static let question = "SELECT count FROM tidemark_account_changes"

    static let statements =
        [
            """
            CREATE TABLE IF NOT EXISTS tidemark_account_changes (
              id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
              count INTEGER NOT NULL
            ) STRICT
            """,
            "INSERT OR IGNORE INTO tidemark_account_changes (id, count) VALUES (1, 0)",
        ] + triggers

    /// Additions don't count, because nil was never cached. A session's new
    /// expiry doesn't count either, because an access token carries its own.
    private static let triggers = [
        ("users", "UPDATE"), ("users", "DELETE"), ("tokens", "UPDATE"), ("tokens", "DELETE"),
        ("sessions", "UPDATE OF id, user_id"), ("sessions", "DELETE"),
    ].map { table, event in
        """
        CREATE TRIGGER IF NOT EXISTS tidemark_\(table)_\(event.prefix(6).lowercased())
        AFTER \(event) ON tidemark_\(table) BEGIN
          UPDATE tidemark_account_changes SET count = count + 1;
        END
        """
    }
}
