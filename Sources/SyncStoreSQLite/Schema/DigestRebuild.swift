import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// The digests of a collection: those that are stored, and those of its rows.
struct DigestRebuild {
    typealias Key = DigestSums.Key

    let registry: Registry

    /// The digests that are stored.
    static func kept(of collection: Collection, _ db: Database) throws -> [Key: CollectionDigest] {
        let sql = "SELECT project_id, audience, live, bits FROM tidemark_digests WHERE collection = ?1"
        var kept: [Key: CollectionDigest] = [:]
        try db.each(sql, [.string(collection.name)]) { row in
            // A damaged file can contain anything here.
            guard let audience = Audience(key: row.string(1)), row.isInteger(2), row.isInteger(3) else {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT, message: "A digest of \(collection.name) can't be read.")
            }
            kept[Key(project: row.string(0), audience: audience)] = CollectionDigest(
                count: Int(row.integer(2)), bits: UInt64(bitPattern: row.integer(3)))
            return true
        }
        return kept
    }

    /// The digests computed from the rows.
    func digests(of collection: Collection, _ db: Database) throws -> [Key: CollectionDigest] {
        try SQLiteTransaction(db, CollectionTables(registry, SQLiteDialect())).digests(of: collection)
    }
}
