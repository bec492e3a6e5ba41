package import SyncEngine
package import SyncProtocol
import SyncSchema

extension Workbench {
    /// The rows that the caller may see now, by the words of the contract: looked up row by row, without the sequence
    /// numbers, gates and segments that a drain works with.
    package func visibleRows(to caller: Caller, as role: Role) async throws -> [RowKey: JSON] {
        try await store.read { transaction in
            var rows: [RowKey: JSON] = [:]
            for collection in registry.collections {
                for row in try transaction.records(in: collection, project: project) {
                    let json = row.json(in: collection)
                    if try isVisible(json, in: collection.name, to: caller, as: role, transaction) {
                        rows[RowKey(collection.name, row.id)] = json
                    }
                }
            }
            return rows
        }
    }

    private func isVisible(
        _ row: JSON, in collection: String, to caller: Caller, as role: Role, _ transaction: any ReadTransaction
    ) throws -> Bool {
        switch collection {
        case "time_entries": return row["user"] == .int(caller.userID)
        case "sprint_retros": return role >= .member || row["team_visibility"] != "team_only"
        case "retro_action_items":
            let retros = registry["sprint_retros"]!
            guard let retro = try transaction.record(RowKey(retros.name, row["retro"]?.string ?? "")) else {
                return false
            }
            return try isVisible(retro.json(in: retros), in: retros.name, to: caller, as: role, transaction)
        default: return true
        }
    }

    /// What no committed state may hold: a live row that refers to a tombstone through a cascade reference, a row above
    /// the head, counters that differ from the rows. Empty when all is well.
    package func brokenInvariants() async throws -> [String] {
        try await store.read { transaction in
            var broken: [String] = []
            let head = try transaction.project(project)!.head
            let counts = try transaction.counts(project: project)
            for collection in registry.collections {
                let rows = try transaction.records(in: collection, project: project)
                if counts[collection.name]?.live ?? 0 != rows.count { broken.append("count of \(collection.name)") }
                for row in rows {
                    if row.seq > head { broken.append("\(collection.name) \(row.id) above the head") }
                    broken += try danglingReferences(of: row, in: collection, transaction)
                }
            }
            return broken
        }
    }

    private func danglingReferences(
        of row: StoredRow, in collection: Collection, _ transaction: any ReadTransaction
    ) throws -> [String] {
        var broken: [String] = []
        for (field, value) in zip(collection.fields, row.values) {
            guard let reference = field.reference else { continue }
            for id in (value.array ?? [value]).compactMap(\.string) {
                let target = try transaction.record(RowKey(reference.collection, id))
                if target.map(\.isDeleted) ?? true {
                    broken.append("\(collection.name) \(row.id).\(field.name) -> \(id)")
                }
            }
        }
        return broken
    }
}
