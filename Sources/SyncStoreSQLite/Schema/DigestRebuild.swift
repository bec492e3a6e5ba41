import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Computes the digests of all projects from the rows, for databases of versions that did not keep digests. It scans
/// each table once, in the transaction of the migration.
struct DigestRebuild {
    let registry: Registry

    struct Key: Hashable {
        let project: String
        let audience: Audience
    }

    func run(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM tidemark_digests")
        for collection in registry.collections { try run(db, of: collection) }
    }

    /// Adds the digests of a collection that has none yet.
    func run(_ db: Database, of collection: Collection) throws {
        for (key, digest) in try digests(of: collection, db) {
            try db.execute(
                sql: """
                    INSERT INTO tidemark_digests (project_id, audience, collection, live, bits)
                    VALUES (?1, ?2, ?3, ?4, ?5)
                    """,
                arguments: [
                    key.project, key.audience.key, collection.name, digest.count, Int64(bitPattern: digest.bits),
                ])
        }
    }

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
        var sums = DigestSums()
        try db.each(question(of: collection)) { row in
            let owner = row.isInteger(4) ? row.integer(4) : nil
            guard let audience = collection.audience(isGated: row.integer(3) != 0, owner: owner) else { return true }
            sums.add(row.text(1), ServerVersion(row.integer(2)), of: row.text(0), audience)
            return true
        }
        return sums.digests
    }

    private func question(of collection: Collection) -> String {
        let owner = if case .own(let field) = collection.visibility { "\"\(field)\"" } else { "NULL" }
        return """
            SELECT project_id, id, server_version, is_gated, \(owner) FROM "\(collection.name)" WHERE is_deleted = 0
            """
    }

    /// The digests of the rows added so far. Successive rows nearly always
    /// belong to the same digest, which is then looked up only once.
    private struct DigestSums {
        private var current: (key: Key, digest: CollectionDigest)?
        private var others: [Key: CollectionDigest] = [:]

        var digests: [Key: CollectionDigest] {
            guard let current else { return others }
            return others.merging([current.key: current.digest]) { $1 }
        }

        mutating func add(
            _ id: UnsafeBufferPointer<UInt8>, _ version: ServerVersion, of project: UnsafeBufferPointer<UInt8>,
            _ audience: Audience
        ) {
            if current?.key.audience != audience || current?.key.project.utf8.elementsEqual(project) != true {
                others = digests
                let key = Key(project: String(decoding: project, as: UTF8.self), audience: audience)
                current = (key, others[key] ?? .empty)
            }
            current?.digest.insert(utf8: id, version)
        }
    }
}
