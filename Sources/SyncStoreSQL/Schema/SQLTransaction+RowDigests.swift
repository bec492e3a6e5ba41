package import SyncProtocol
package import SyncSchema
import SyncStore

extension SQLTransaction {
    /// Computes the digests of all projects from the rows, instead of those that are stored.
    package func rebuildDigests() throws {
        try run("DELETE FROM tidemark_digests", [])
        for collection in registry.collections { try addDigests(of: collection) }
    }

    /// Adds the digests of a collection that has none yet. Goes from project to project, because an engine may have all
    /// rows of a question in memory.
    func addDigests(of collection: Collection) throws {
        for project in try all("SELECT id FROM tidemark_projects ORDER BY id", [], { $0.string(0) }) {
            for (key, digest) in try digests(of: collection, in: project) {
                try run(
                    """
                    INSERT INTO tidemark_digests (project_id, audience, collection, live, bits)
                    VALUES (?1, ?2, ?3, ?4, ?5)
                    """,
                    [
                        .string(project), .string(key.audience.key), .string(collection.name),
                        .int(Int64(digest.count)), .int(Int64(bitPattern: digest.bits)),
                    ])
            }
        }
    }

    /// The digests of a project, or of all if it is nil, computed from the rows.
    package func digests(
        of collection: Collection, in project: String? = nil
    ) throws -> [DigestSums.Key: CollectionDigest] {
        var check = DigestCheck(collection)
        let sql = DigestCheck.rows(of: collection)
        let question = project.map { (sql + " AND project_id = ?1", [JSON.string($0)]) } ?? (sql, [])
        try each(question.0, question.1, isKept: true) { row in
            check.addRow(row)
            return true
        }
        return check.computed
    }
}
