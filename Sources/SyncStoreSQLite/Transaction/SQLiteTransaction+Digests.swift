import GRDB
import SyncProtocol
import SyncStore

extension SQLiteTransaction {
    func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest] {
        let rows = try db.all(SQLiteTransaction.digestsOfAudience, [.string(project), .string(audience.key)]) {
            ($0.string(0), CollectionDigest(count: Int($0.integer(1)), bits: UInt64(bitPattern: $0.integer(2))))
        }
        return Dictionary(rows) { $1 }
    }

    static let digestsOfAudience =
        "SELECT collection, live, bits FROM tidemark_digests WHERE project_id = ?1 AND audience = ?2"

    /// Updates first, as the digest is there but for the first row. SQLite has no XOR: it is what either has but not both.
    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws {
        let values: [JSON] = [
            .string(project), .string(audience.key), .string(collection), .int(Int64(change.count)),
            .int(Int64(bitPattern: change.bits)),
        ]
        try write(
            [values],
            """
            UPDATE tidemark_digests SET live = live + ?4, bits = (bits | ?5) & ~(bits & ?5)
            WHERE project_id = ?1 AND audience = ?2 AND collection = ?3
            """)
        guard db.changesCount == 0 else { return }
        try write(
            [values],
            "INSERT INTO tidemark_digests (project_id, audience, collection, live, bits) VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    func dropDigests(project: String) throws {
        try execute("DELETE FROM tidemark_digests WHERE project_id = ?1", [project])
    }
}

extension Audience {
    /// In the column `audience`.
    var key: String {
        switch self {
        case .everyone: "everyone"
        case .behindGate: "gate"
        case .user(let id): "user \(id)"
        }
    }

    /// Of a column `audience`; nil for what none holds.
    init?(key: String) {
        switch key {
        case "everyone": self = .everyone
        case "gate": self = .behindGate
        default:
            guard key.hasPrefix("user "), let id = Int64(key.dropFirst(5)) else { return nil }
            self = .user(id)
        }
    }
}
