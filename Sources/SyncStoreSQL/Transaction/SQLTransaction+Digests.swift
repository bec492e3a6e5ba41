package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest] {
        try settleCounters(of: project)
        let rows = try all(Self.digestsOfAudience, [.string(project), .string(audience.key)]) {
            ($0.string(0), CollectionDigest(count: Int($0.integer(1)), bits: UInt64(bitPattern: $0.integer(2))))
        }
        return Dictionary(rows) { $1 }
    }

    static var digestsOfAudience: String {
        "SELECT collection, live, bits FROM tidemark_digests WHERE project_id = ?1 AND audience = ?2"
    }

    /// Updates first, because the digest exists, except for an audience's first row.
    package func addDigest(
        project: String, collection: String, of audience: Audience, _ change: CollectionDigest
    ) throws {
        let values: [JSON] = [
            .string(project), .string(audience.key), .string(collection), .int(Int64(change.count)),
            .int(Int64(bitPattern: change.bits)),
        ]
        guard try self.change(statements.addDigest, values) == 0 else { return }
        try write(
            [values],
            "INSERT INTO tidemark_digests (project_id, audience, collection, live, bits) VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    package func dropDigests(project: String) throws {
        try run("DELETE FROM tidemark_digests WHERE project_id = ?1", [.string(project)])
    }
}
