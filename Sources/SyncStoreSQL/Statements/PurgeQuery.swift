package import SyncSchema

/// The SQL of a purge of one collection.
package struct PurgeQuery: Sendable {
    /// Selects the next tombstones, by number and id. The parameters are the project, the last number and id, the
    /// greatest number, and the limit.
    package let candidates: String
    /// Removes the tombstone ?1 of project ?2 if its number is at most ?3 and nothing refers to it. Returns its number,
    /// and the ids that it referred to in its own collection.
    package let delete: String

    package init(_ collection: Collection, _ registry: Registry) {
        let table = "\"\(collection.name)\""
        candidates = """
            SELECT sync_seq, id FROM \(table) WHERE project_id = ?1 AND is_deleted = 1
            AND (sync_seq, id) > (?2, ?3) AND sync_seq <= ?4 ORDER BY sync_seq, id LIMIT ?5
            """
        let referrers = registry.referrers(of: collection.name)
        let own = referrers.filter { $0.collection == collection.name && !$0.reference.isList }
        let returned = ["sync_seq"] + own.map { "\"\($0.field.name)\"" }
        delete = """
            DELETE FROM \(table) WHERE id = ?1 AND project_id = ?2 AND is_deleted = 1 AND sync_seq <= ?3\
            \(referrers.map(PurgeQuery.isUnreferenced).joined()) RETURNING \(returned.joined(separator: ", "))
            """
    }

    private static func isUnreferenced(by referrer: Registry.Referrer) -> String {
        if referrer.reference.isList {
            return """
                 AND NOT EXISTS (SELECT 1 FROM tidemark_list_references
                WHERE collection = '\(referrer.collection)' AND field = '\(referrer.field.name)' AND target = ?1)
                """
        }
        return " AND NOT EXISTS (SELECT 1 FROM \"\(referrer.collection)\" r WHERE r.\"\(referrer.field.name)\" = ?1)"
    }
}
