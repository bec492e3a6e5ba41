import GRDB
import SyncProtocol

extension Replica {
    /// The collections whose rows differ from those that the server counted, in the schema's order.
    static func differing(
        from digests: [String: CollectionDigest], _ schema: ServerSchema, _ db: Database
    ) throws -> [String] {
        try schema.collections.map(\.name).filter { name in
            guard let digest = digests[name] else { return false }
            return try self.digest(of: name, db) != digest
        }
    }

    /// Of the rows that the server has: all but those that were made here and never told. A digest is of ids and
    /// versions, and what is unsent changes neither.
    private static func digest(of collection: String, _ db: Database) throws -> CollectionDigest {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, server_version FROM \(SQLName.quoted(collection))
                WHERE NOT (_status = 'created' AND server_version = 0)
                """)
        var digest = CollectionDigest.empty
        while let row = try rows.next() { digest.insert(row[0], ServerVersion(row[1] as Int64)) }
        return digest
    }
}
