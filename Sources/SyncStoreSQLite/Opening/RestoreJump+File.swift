import GRDB
import SyncProtocol
import SyncStore
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
    /// Makes a restored copy that has no mark safe, in one transaction. A server on the same file can go on serving.
    package func jump() async throws -> RestoreJump {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var done: RestoreJump?
                    try db.inTransaction(.immediate) {
                        done = try SQLiteTransaction(db, tables).jump(factor: RestoreJump.randomFactor())
                        return .commit
                    }
                    return done!
                }
            }
        }
    }
}
