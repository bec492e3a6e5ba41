package import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore

extension Workbench {
    /// The rows that the caller may see now, as the contract defines it. Each row is checked by itself, without the
    /// sequence numbers, gates and segments of a drain. `project` is another one than the workbench's.
    package func visibleRows(
        to caller: Caller, as role: Role, in project: String? = nil
    ) async throws -> [RowKey: JSON] {
        let project = project ?? self.project
        return try await store.read { transaction in
            var rows: [RowKey: JSON] = [:]
            for collection in registry.collections {
                for row in try transaction.records(in: collection, project: project) {
                    let json = row.json(in: collection)
                    if try isVisible(json, in: collection.name, to: caller, as: role, transaction) {
                        rows[RowKey(collection.name, row.id)] = json.of(project: project)
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
            let retros = registry.collection("sprint_retros")
            guard let retro = try transaction.record(RowKey(retros.name, row["retro"]?.string ?? "")) else {
                return false
            }
            return try isVisible(retro.json(in: retros), in: retros.name, to: caller, as: role, transaction)
        case "inspections":
            let users = [row["assignee"] ?? .null] + (row["reviewers"]?.array ?? [])
            return role >= .admin || users.contains(.int(caller.userID))
        case "findings":
            let inspections = registry.collection("inspections")
            let key = RowKey(inspections.name, row["inspection"]?.string ?? "")
            guard let inspection = try transaction.record(key) else { return false }
            let parent = inspection.json(in: inspections)
            return try isVisible(parent, in: key.collection, to: caller, as: role, transaction)
        default: return true
        }
    }
}

extension JSON {
    /// A row as a pull has it, with the id of its project.
    package func of(project: String) -> JSON {
        .object((object ?? [:]).merging(["project_id": .string(project)]) { $1 })
    }
}
