import GRDB
import SyncProtocol

extension Replica {
    /// The collections whose rows differ from those that the server counted, in the schema's order. One with unsent
    /// changes is left out: what it holds is not what the server said, and is compared once it is sent.
    static func differing(
        from digests: [String: CollectionDigest], _ schema: ServerSchema, _ db: Database
    ) throws -> [String] {
        try schema.collections.map(\.name).filter { name in
            guard let digest = digests[name], try !hasUnsent(name, db) else { return false }
            return try self.digest(of: name, db) != digest
        }
    }

    private static func hasUnsent(_ collection: String, _ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \(SQLName.quoted(collection)) WHERE _status <> 'synced')"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    private static func digest(of collection: String, _ db: Database) throws -> CollectionDigest {
        let rows = try Row.fetchCursor(db, sql: "SELECT id, server_version FROM \(SQLName.quoted(collection))")
        var digest = CollectionDigest.empty
        while let row = try rows.next() { digest.insert(row[0], ServerVersion(row[1] as Int64)) }
        return digest
    }
}
