package import SyncStore
package import SyncStoreSQL

extension PostgreSQLStore {
    /// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes.
    /// One transaction, which also adds `entry` to the audit list. Servers go on serving; their writes wait.
    package func prune(
        noting entry: @escaping @Sendable (PruneReport) -> AuditEntry? = { _ in nil }
    ) async throws -> PruneReport {
        let pool = ConnectionPool("prune", places: 1, line(SessionSettings.opening))
        defer { pool.close() }
        return try await failures.translated { [tables] in
            try await pool.use { connection in
                connection.patience = .seconds(24 * 3600)
                return try Session(connection, .writing).commit { session in
                    try session.send(AdvisoryLock.opening.statement)
                    let transaction = PostgreSQLTransaction(session, tables, .installation)
                    let report = try Prune(PostgreSQLTables(transaction)).run()
                    try entry(report).map(transaction.audit)
                    return report
                }
            }
        }
    }
}
