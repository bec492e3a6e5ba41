import GRDB
import SyncProtocol

extension Replica {
    /// The collections whose rows do not match the server's digest, in the schema's order.
    /// Collections without a digest are left out. `project` is nil in a replica of one project.
    static func differing(
        from digests: [String: CollectionDigest], in project: String?, _ schema: ServerSchema, _ db: Database
    ) throws -> [String] {
        try schema.collections.map(\.name).filter { name in
            guard let digest = digests[name] else { return false }
            return try self.digest(of: name, in: project, db) != digest
        }
    }

    /// The digest of the rows that the server has. Rows that were created here and never delivered by the server are
    /// left out, even if they were deleted again. A digest covers ids and versions; unsent edits change neither.
    private static func digest(of collection: String, in project: String?, _ db: Database) throws -> CollectionDigest {
        let isOfProject = project.map { " AND \(ProjectColumn.name) = \(ProjectColumn.literal($0))" } ?? ""
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, server_version FROM \(SQLName.quoted(collection))
                WHERE NOT (_status <> 'synced' AND server_version = 0)\(isOfProject)
                """)
        var digest = CollectionDigest.empty
        while let row = try rows.next() { digest.insert(row[0], ServerVersion(row[1] as Int64)) }
        return digest
    }
}
