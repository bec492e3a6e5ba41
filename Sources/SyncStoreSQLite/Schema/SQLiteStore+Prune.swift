import GRDB
package import SyncStore
package import SyncStoreSQL

extension SQLiteStore {
    /// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes.
    /// One transaction, which also adds `entry` to the audit list. A server on the same file can go on serving.
    package func prune(
        noting entry: @escaping @Sendable (PruneReport) -> AuditEntry? = { _ in nil }
    ) async throws -> PruneReport {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var report = PruneReport()
                    try db.inTransaction(.immediate) {
                        let transaction = SQLiteTransaction(db, tables)
                        report = try Prune(SQLiteTables(transaction)).run()
                        try entry(report).map(transaction.audit)
                        return .commit
                    }
                    return report
                }
            }
        }
    }
}
