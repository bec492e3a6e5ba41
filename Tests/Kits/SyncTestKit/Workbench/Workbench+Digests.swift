import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

extension Workbench {
    /// The stored digests that do not match the live rows, one sentence for each. Empty when all match.
    package func brokenDigests() async throws -> [String] {
        try await store.read { transaction in
            var broken: [String] = []
            var stored: [Audience: [String: CollectionDigest]] = [:]
            let users = callers.values.map { Audience.user($0.userID) }
            for audience in [.everyone, .behindGate] + users {
                stored[audience] = try transaction.digests(project: project, of: audience)
            }
            for collection in registry.collections {
                let rows = try transaction.records(in: collection, project: project)
                var seen: [Audience: [StoredRow]] = [:]
                for row in rows {
                    for audience in try audiences(of: row, collection, transaction) {
                        seen[audience, default: []].append(row)
                    }
                }
                for audience in stored.keys {
                    let counted = NaiveDigest.of((seen[audience] ?? []).map { $0.json(in: collection) })
                    if (stored[audience]?[collection.name] ?? .empty).json != counted {
                        broken.append("digest of \(collection.name) for \(audience)")
                    }
                }
            }
            return broken
        }
    }

    /// The audiences of a row, as the contract defines them.
    private func audiences(
        of row: StoredRow, _ collection: Collection, _ transaction: any ReadTransaction
    ) throws -> Set<Audience> {
        let json = row.json(in: collection)
        switch collection.name {
        case "time_entries": return [.user(json["user"]?.int ?? 0)]
        case "sprint_retros": return json["team_visibility"] == "team_only" ? [.behindGate] : [.everyone]
        case "inspections":
            let users = [json["assignee"] ?? .null] + (json["reviewers"]?.array ?? [])
            return Set(users.compactMap(\.int).map(Audience.user)).union([.behindGate])
        case "findings":
            let inspections = registry.collection("inspections")
            let inspection = try transaction.record(RowKey(inspections.name, json["inspection"]?.string ?? ""))
            return try inspection.map { try audiences(of: $0, inspections, transaction) } ?? []
        case "retro_action_items":
            let retros = registry.collection("sprint_retros")
            let retro = try transaction.record(RowKey(retros.name, json["retro"]?.string ?? ""))
            return retro?.json(in: retros)["team_visibility"] == "team_only" ? [.behindGate] : [.everyone]
        default: return [.everyone]
        }
    }
}
