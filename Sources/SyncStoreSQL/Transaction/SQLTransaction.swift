package import SyncProtocol
package import SyncSchema
package import SyncStore

/// A transaction on an SQL database. An engine runs statements and
/// reads their rows. The statements are written here, for all engines.
package protocol SQLTransaction: WriteTransaction {
    associatedtype Row: SQLRow

    var registry: Registry { get }
    var statements: SQLStatements { get }
    /// Of this transaction alone.
    var drawn: DrawnNumber { get }
    /// The layout of the collection's table.
    func layout(_ collection: Collection) -> TableLayout
    /// Called before rows or counters of the project are read or written. An
    /// engine that locks projects takes the lock here, at the first call.
    func touch(_ project: String) throws
    /// Called before counters or digests of the project are read. An engine
    /// that collects their changes writes them here.
    func settleCounters(of project: String) throws
    /// Called before rows with these ids are written; nil stands for any row of the collection. An engine that keeps
    /// rows that it has read forgets these.
    func noteWrite(of ids: [String]?, in collection: Collection)
    /// The size of the database, without a write-ahead log.
    func databaseBytes() throws -> Int64

    /// Calls `read` with each row of the statement until it returns false. `values` are ?1, ?2 …. If `isKept` is
    /// false, the prepared statement is not cached.
    func each(_ sql: String, _ values: [JSON], isKept: Bool, read: (Row) throws -> Bool) throws
    /// Runs the statement once for each list of values. An engine may
    /// do this later, but before it reads what the statement changes.
    func write(_ rows: [[JSON]], _ sql: String) throws
    /// Runs the statement at once. Returns the number of rows that it changed.
    func change(_ sql: String, _ values: [JSON]) throws -> Int
}

extension SQLTransaction {
    package func settleCounters(of project: String) {}

    package func noteWrite(of ids: [String]?, in collection: Collection) {}

    /// The result of `read` for the statement's first row; nil if there is no row.
    func first<Value>(_ sql: String, _ values: [JSON] = [], read: (Row) throws -> Value) throws -> Value? {
        var value: Value?
        try each(sql, values, isKept: true) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// The results of `read` for all rows of the statement.
    func all<Value>(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true, read: (Row) throws -> Value
    ) throws -> [Value] {
        var list: [Value] = []
        try each(sql, values, isKept: isKept) { row in
            list.append(try read(row))
            return true
        }
        return list
    }

    func run(_ sql: String, _ values: [JSON]) throws { try write([values], sql) }

    /// The rows of a `SELECT` of all columns.
    func records(_ sql: String, _ values: [JSON], of collection: Collection) throws -> [StoredRow] {
        try all(sql, values) { StoredRow($0, of: collection) }
    }
}

/// The commit number of one transaction. It is drawn at the transaction's first commit, and all its commits have it.
package final class DrawnNumber {
    private var number: Int64?

    package init() {}

    func number(_ draw: () throws -> Int64) rethrows -> Int64 {
        if let number { return number }
        let drawn = try draw()
        number = drawn
        return drawn
    }
}

extension SQLTransaction {
    /// The value of a setting in `tidemark_settings`; nil if there is none.
    package func setting(_ name: String) throws -> String? {
        try first("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]) { $0.string(0) }
    }

    /// Writes a setting; nil removes it.
    package func set(_ name: String, to value: String?) throws {
        guard let value else {
            return try run("DELETE FROM tidemark_settings WHERE name = ?1", [.string(name)])
        }
        try run(
            """
            INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.string(name), .string(value)])
    }
}

extension SQLTransaction {
    package func secret(_ name: String) throws -> String? {
        try first("SELECT value FROM tidemark_settings WHERE name = 'secret_' || ?1", [.string(name)]) {
            $0.string(0)
        }
    }

    package func setSecret(_ name: String, _ value: String) throws {
        try run(
            "INSERT INTO tidemark_settings (name, value) VALUES ('secret_' || ?1, ?2)", [.string(name), .string(value)])
    }
}

extension SQLTransaction {
    /// Raises all counters and floors, removes the marks of a backup and of a move, and deletes the secret of cursors.
    /// Also ends all sessions, because they may have been ended after the backup was made. Throws a `StoreError` if the
    /// numbers are used up.
    package func jump(factor: Int64) throws -> RestoreJump {
        let distance = factor << 32
        try requireRoom(for: distance)
        let projects = try change(
            "UPDATE tidemark_projects SET head = head + ?1, floor = head + ?1", [.int(distance)])
        _ = try change(
            """
            INSERT INTO tidemark_settings (name, value) VALUES ('seq_base', ?1)
            ON CONFLICT (name) DO UPDATE
              SET value = CAST(CAST(tidemark_settings.value AS BIGINT) + CAST(?2 AS BIGINT) AS TEXT)
            """, [.string(String(distance)), .int(distance)])
        try jumpNumber(distance)
        try set(RestoreJump.filesMark, to: "1")
        for statement in [
            "DELETE FROM tidemark_settings WHERE name IN ('\(Self.ended.joined(separator: "', '"))')",
            "DELETE FROM tidemark_refresh_tokens", "DELETE FROM tidemark_sessions",
        ] {
            _ = try change(statement, [])
        }
        return RestoreJump(distance: distance, projects: projects)
    }

    /// The settings that mean nothing after a jump.
    private static var ended: [String] {
        [RestoreJump.mark, DatabaseMove.movedMark, DatabaseMove.unfinishedMark, "secret_cursor"]
    }

    /// Raises the installation's number as far as the counters, and records every project's new head under it. Numbers
    /// from before are not valid any more.
    private func jumpNumber(_ distance: Int64) throws {
        let now: JSON = .int(WallClock.system.now().milliseconds)
        _ = try change(
            """
            INSERT INTO tidemark_settings (name, value)
            SELECT 'number_base', CAST(no + ?1 AS TEXT) FROM (\(SQLStatements.newestNumber)) AS newest WHERE true
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.int(distance)])
        _ = try change(statements.numberHeads(as: "(\(SQLStatements.newestNumber))"), [now])
    }

    private func requireRoom(for distance: Int64) throws {
        let top = try first(statements.topNumber) { $0.integer(0) } ?? 0
        guard top < CommitNumber.limit - distance else {
            throw StoreError(
                "The commit numbers are used up: \(top) + \(distance) would exceed 2^52 - 1.",
                hint: "Start with a new database, import the projects into it, and let clients start again.")
        }
    }
}

/// Makes a restored database safe to serve from. Every project's counter jumps ahead, so no number of the lost history
/// is used again, and the server refuses watermarks and cursors from before the jump.
///
/// The jump is k·2^32 with a random k. The lost history would need 2^32 commits to reach the new numbers, and two
/// restores of one backup hardly ever land on the same number.
package struct RestoreJump: Sendable, Equatable {
    /// The number that was added to every counter.
    package let distance: Int64
    /// The number of projects.
    package let projects: Int

    private static let largestFactor: Int64 = 4096

    /// Chooses k.
    package static let randomFactor: @Sendable () -> Int64 = { .random(in: 1...largestFactor) }

    /// The setting that a backup has and a database in use does not have.
    package static let mark = "restore_mark"

    /// The setting that a restored database has until its files were compared with the file store.
    package static let filesMark = "files_to_compare"
}

extension SQLTransaction {
    package func answer(to key: IdempotencyKey) throws -> StoredAnswer? { try storedAnswer(to: key) }

    package func storedAnswer(to key: IdempotencyKey) throws -> StoredAnswer? {
        let sql = """
            SELECT body_hash, response, stored_at FROM tidemark_idempotency
            WHERE scope = ?1 AND user_id = ?2 AND idempotency_key = ?3
            """
        return try first(sql, [.string(key.scope), .int(key.userID), .string(key.text.rawValue)]) {
            StoredAnswer(
                key: key, bodyHash: $0.string(0), response: $0.string(1),
                storedAt: $0.instant(2))
        }
    }

    package func storeAnswer(_ answer: StoredAnswer) throws {
        let key = answer.key
        let values: [JSON] = [
            .string(key.scope), .int(key.userID), .string(key.text.rawValue), .string(answer.bodyHash),
            .string(answer.response), .int(answer.storedAt.milliseconds),
        ]
        try write(
            [values],
            """
            INSERT INTO tidemark_idempotency (scope, user_id, idempotency_key, body_hash, response, stored_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (scope, user_id, idempotency_key) DO UPDATE
            SET body_hash = excluded.body_hash, response = excluded.response, stored_at = excluded.stored_at
            """)
    }

    package func trimAnswers(of user: Int64, scope: String, to bytes: Int) throws {
        try run(statements.trimAnswers, [.int(user), .string(scope), .int(Int64(bytes))])
    }

    package func forgetAnswers(before date: Instant, limit: Int) throws -> Int {
        try change(
            """
            DELETE FROM tidemark_idempotency WHERE (scope, user_id, idempotency_key) IN (
              SELECT scope, user_id, idempotency_key FROM tidemark_idempotency WHERE stored_at < ?1 LIMIT ?2)
            """, [.int(date.milliseconds), .int(Int64(limit))])
    }
}
