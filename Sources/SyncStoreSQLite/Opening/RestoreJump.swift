import GRDB
import SyncProtocol
import SyncStoreSQL

/// What makes a restored database safe to serve from: every project's counter jumps ahead, so that no number of the
/// lost history is drawn again, and what clients bring from before the jump is refused.
///
/// The jump is k·2^32 with a random k: the lost history would need 2^32 commits to reach it, and two restores of one
/// backup hardly ever land on the same number.
package struct RestoreJump: Sendable, Equatable {
    /// By how much every counter was raised.
    package let distance: Int64
    /// How many projects there are.
    package let projects: Int

    private static let largestFactor: Int64 = 4096

    /// What a jump is a multiple of 2^32 by.
    package static let randomFactor: @Sendable () -> Int64 = { .random(in: 1...largestFactor) }

    /// The setting that a backup carries and a database in use does not.
    static let mark = "restore_mark"

    /// Marks a backup.
    static func setMark(_ db: Database) throws {
        try db.set(mark, to: String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// Jumps if the database is a restored backup. Part of the transaction that opens a file for writing.
    static func ifMarked(_ db: Database, factor: () -> Int64) throws -> RestoreJump? {
        try db.setting(mark).map { _ in try run(db, factor: factor()) }
    }

    /// Raises all counters and floors, takes the mark away, ends all sessions (they may have been ended after the
    /// backup), and forgets the secret of cursors. Throws a `StoreError` where the numbers are used up.
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
        try db.execute(
            sql: """
                DELETE FROM tidemark_settings WHERE name IN ('\(mark)', 'secret_cursor');
                DELETE FROM tidemark_refresh_tokens;
                DELETE FROM tidemark_sessions
                """)
        return RestoreJump(distance: distance, projects: projects)
    }

    private static func requireRoom(for distance: Int64, _ db: Database) throws {
        let top =
            try Int64.fetchOne(
                db, sql: "SELECT MAX((\(SQLStatements.counterBase)), COALESCE(MAX(head), 0)) FROM tidemark_projects")
            ?? 0
        guard top <= SyncSeq.maximum.rawValue - distance else {
            throw StoreError(
                "The commit numbers are used up: \(top) + \(distance) would pass 2^53 - 1.",
                hint: "Start with a new database file, import the projects anew, and have clients begin again.")
        }
    }
}

extension SQLiteStore {
    /// Makes a restored copy safe that carries no mark. One transaction. A server on the same file goes on serving.
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
