import SyncSchema

/// Makes tombstones refer to rows that exist, because foreign keys require it. Nobody is served a tombstone's values.
/// So if a reference can't be null, any row of the project will do.
struct TombstoneMending<Transaction: SQLTransaction> {
    let transaction: Transaction
    private var registry: Registry { transaction.registry }

    /// Returns the collections whose rows changed. The checksums of these rows are now wrong.
    func run() throws -> Set<String> {
        var changed: Set<String> = []
        for collection in registry.collections {
            for field in collection.fields where field.isLookedUp {
                if try mend(field, of: collection) > 0 { changed.insert(collection.name) }
            }
        }
        return changed
    }

    private func mend(_ field: Field, of collection: Collection) throws -> Int {
        let query = DeadQuery(dialect: transaction.layout(collection).dialect)
        guard let unmet = query.unmet(field, by: .anyRows) else { return 0 }
        let condition = "t.is_deleted = 1 AND \(unmet)"
        let count = try transaction.change(
            """
            UPDATE "\(collection.name)" AS t SET "\(field.name)" = \(standIn(field, of: collection))
            WHERE \(condition)
            """, [])
        if count > 0, !field.value.isNullable, field.reference?.isList == false {
            try purge(collection, where: condition)
        }
        return count
    }

    /// The SQL expression that replaces the reference.
    private func standIn(_ field: Field, of collection: Collection) -> String {
        let column = "t.\"\(field.name)\""
        guard let reference = field.reference else {
            return field.value.isNullable ? "NULL" : "(SELECT min(id) FROM tidemark_users)"
        }
        if reference.isList { return "'[]'" }
        if field.value.isNullable { return "NULL" }
        if reference.collection == collection.name { return "t.id" }
        return """
            COALESCE(
              (SELECT r.id FROM "\(reference.collection)" r WHERE r.project_id = t.project_id LIMIT 1), \(column))
            """
    }

    /// If the project has no row to refer to, the tombstone is purged.
    /// Clients that may not have received it start again from 0.
    private func purge(_ collection: Collection, where condition: String) throws {
        let rows = "SELECT t.id FROM \"\(collection.name)\" t WHERE \(condition)"
        let name = collection.name
        for statement in [
            """
            UPDATE tidemark_projects SET horizon = head
            WHERE id IN (SELECT t.project_id FROM "\(name)" t WHERE \(condition))
            """,
            "DELETE FROM tidemark_changes WHERE collection = '\(name)' AND row_id IN (\(rows))",
            "DELETE FROM tidemark_list_references WHERE collection = '\(name)' AND row_id IN (\(rows))",
            """
            UPDATE tidemark_row_counts AS c SET tombstones = tombstones - (
              SELECT count(*) FROM "\(name)" t WHERE t.project_id = c.project_id AND \(condition))
            WHERE collection = '\(name)'
            """,
            "DELETE FROM \"\(name)\" AS t WHERE \(condition)",
        ] { try transaction.run(statement, []) }
    }
}
