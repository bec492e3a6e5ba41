import GRDB
import SyncProtocol

extension SQLiteStore {
    /// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes.
    /// One transaction. A server on the same file can go on serving.
    package func prune() async throws -> PruneReport {
        try await failures.translated {
            try await pool.writeWithoutTransaction { db in
                try checkpoints.guarded {
                    var report = PruneReport()
                    try db.inTransaction(.immediate) {
                        report = try Prune(db: db).run()
                        return .commit
                    }
                    return report
                }
            }
        }
    }
}

private struct Prune {
    let db: Database

    func run() throws -> PruneReport {
        var removed = try RemovedData(db)
        var report = PruneReport()
        for (collection, fields) in removed.fields.sorted(by: { $0.key < $1.key })
        where removed.collections[collection] == nil {
            for field in fields.keys.sorted() {
                try drop(field, of: collection)
                report.fields.append("\(collection).\(field)")
            }
        }
        for collection in removed.collections.keys.sorted() {
            report.rows += try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(collection)\"") ?? 0
            try drop(collection)
            report.collections.append(collection)
        }
        (removed.fields, removed.collections) = ([:], [:])
        try removed.save(db)
        return report
    }

    private func drop(_ collection: String) throws {
        try db.execute(sql: "DROP TABLE \"\(collection)\"")
        for table in ["tidemark_changes", "tidemark_inbox", "tidemark_former_owners"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE collection = ?1", arguments: [collection])
        }
    }

    private func drop(_ field: String, of collection: String) throws {
        try db.execute(sql: "ALTER TABLE \"\(collection)\" DROP COLUMN \"\(field)\"")
        try db.execute(
            sql: "DELETE FROM tidemark_inbox WHERE collection = ?1 AND field = ?2", arguments: [collection, field])
        for (table, column) in [
            ("tidemark_changes", "replaced"), ("tidemark_inbox", "sent"), ("tidemark_inbox", "kept"),
        ] {
            try db.execute(
                sql: """
                    UPDATE \(table) SET \(column) = json_remove(\(column), '$."\(field)"')
                    WHERE collection = ?1 AND json_type(\(column), '$."\(field)"') IS NOT NULL
                    """, arguments: [collection])
        }
    }
}
