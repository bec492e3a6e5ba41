import GRDB
import SyncProtocol
import SyncStore
import SyncStoreSQL

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
    static let mark = "restore_mark"

    /// Marks a backup.
    static func setMark(_ db: Database) throws {
        try db.set(mark, to: String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// Jumps if the database is a restored backup. Part of the transaction that opens a file for writing.
    static func ifMarked(_ db: Database, factor: () -> Int64) throws -> RestoreJump? {
        try db.setting(mark).map { _ in try run(db, factor: factor()) }
    }

    /// Raises all counters and floors, removes the mark, and deletes the secret of cursors. Also ends all sessions,
    /// because they may have been ended after the backup was made. Throws a `StoreError` if the numbers are used up.
    static func run(_ db: Database, factor: Int64 = randomFactor()) throws -> RestoreJump {
        let distance = factor << 32
        try requireRoom(for: distance, db)
        try db.execute(
            sql: "UPDATE tidemark_projects SET head = head + ?1, floor = head + ?1", arguments: [distance])
        let projects = db.changesCount
        try db.execute(
            sql: """
                INSERT INTO tidemark_settings (name, value) VALUES ('seq_base', ?1)
                ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + ?1
                """, arguments: [distance])
        try number(distance, db)
        try db.execute(
            sql: """
                DELETE FROM tidemark_settings WHERE name IN ('\(mark)', 'secret_cursor');
                DELETE FROM tidemark_refresh_tokens;
                DELETE FROM tidemark_sessions
                """)
        return RestoreJump(distance: distance, projects: projects)
    }

    /// Raises the installation's number as far as the counters, and records every project's new head under it. Numbers
    /// from before are not valid any more.
    private static func number(_ distance: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO tidemark_settings (name, value)
                SELECT 'number_base', no + ?1 FROM (\(SQLStatements.newestNumber)) WHERE true
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [distance])
        try SystemTables.numberHeads(db, as: "(\(SQLStatements.newestNumber))")
    }

    private static func requireRoom(for distance: Int64, _ db: Database) throws {
        let top =
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT MAX((\(SQLStatements.counterBase)), (\(SQLStatements.newestNumber)), COALESCE(MAX(head), 0))
                    FROM tidemark_projects
                    """)
            ?? 0
        guard top < CommitNumber.limit - distance else {
            throw StoreError(
                "The commit numbers are used up: \(top) + \(distance) would exceed 2^52 - 1.",
                hint: "Start with a new database file, import the projects into it, and let clients start again.")
        }
    }
}

extension SQLiteStore {
    /// Makes a restored copy that has no mark safe, in one transaction. A server on the same file can go on serving.
    package func jump() async throws -> RestoreJump {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var done: RestoreJump?
                    try db.inTransaction(.immediate) {
                        done = try RestoreJump.run(db)
                        return .commit
                    }
                    return done!
                }
            }
        }
    }
}
