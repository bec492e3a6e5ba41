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
        try db.setting(mark).map { _ in try SQLiteTransaction(db, tables).jump(factor: factor()) }
    }
}

extension SQLiteStore {
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
                        let transaction = SQLiteTransaction(db, tables)
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
