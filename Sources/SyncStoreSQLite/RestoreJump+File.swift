import GRDB
import SyncProtocol
package import SyncStore
package import SyncStoreSQL

extension RestoreJump {
    /// Marks a backup.
    static func setMark(_ db: Database) throws {
        try db.set(mark, to: String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// Jumps if the database is a restored backup. Part of the transaction that opens a file for writing.
    static func ifMarked(_ db: Database, _ tables: CollectionTables, factor: () -> Int64) throws -> RestoreJump? {
        try db.setting(mark).map { _ in try SQLiteTransaction(db, tables: tables).jump(factor: factor()) }
    }
}

extension RestoreJump {
    /// Throws a `StoreError` if the database is a backup that waits for its restore.
    static func refuseMarked(_ db: Database, _ path: String) throws {
        guard try db.tableExists("tidemark_settings"), try db.setting(mark) != nil else { return }
        throw StoreError.waitsForRestore(path)
    }
}

extension StoreError {
    /// For a command that would write to a backup, with commit numbers that a second restore of it uses again.
    static func waitsForRestore(_ path: String) -> StoreError {
        StoreError(
            "\(path) is a backup that waits for its restore. This command would write to it. It was not changed.",
            hint: "To restore it, start the server on it, or run: tidemark restored --database \(path). "
                + "Commands that only read can be used on it as it is.")
    }
}

extension SQLiteStore {
    /// Throws a `StoreError` if the file at the path is a backup that waits for its restore.
    package static func refuseWaiting(_ path: String) throws { try DatabaseFile(path).refuseWaiting() }

    /// Makes a restored copy that has no mark safe, in one transaction, which also adds `entry` to the audit list. A
    /// server on the same file can go on serving.
    package func jump(
        noting entry: @escaping @Sendable (RestoreJump) -> AuditEntry? = { _ in nil }
    ) async throws -> RestoreJump {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var done: RestoreJump?
                    try db.inTransaction(.immediate) {
                        let transaction = SQLiteTransaction(db, tables: tables)
                        let jump = try transaction.jump(factor: RestoreJump.randomFactor())
                        try entry(jump).map(transaction.audit)
                        done = jump
                        return .commit
                    }
                    return done!
                }
            }
        }
    }
}
