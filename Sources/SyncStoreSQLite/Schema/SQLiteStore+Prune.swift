import GRDB
package import SyncStoreSQL

extension SQLiteStore {
    /// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes.
    /// One transaction. A server on the same file can go on serving.
    package func prune() async throws -> PruneReport {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var report = PruneReport()
                    try db.inTransaction(.immediate) {
                        report = try Prune(SQLiteTables(SQLiteTransaction(db, tables))).run()
                        return .commit
                    }
                    return report
                }
            }
        }
    }
}
