import SyncProtocol
import SyncSchema
import SyncStore

/// Shows a stored answer to its sender again, without the values of rows that the sender can't see any more.
struct ReplayedAnswer {
    /// The access to the project of each row of the answer; nil for a project that the caller has no access to.
    let access: (String) throws -> ProjectAccess?
    let registry: Registry
    let transaction: any ReadTransaction

    /// The stored text, byte for byte, unless it shows such a row.
    func text(_ stored: String) throws -> String {
        // Nearly all answers. Parsing them would take longer than the rest of a replay.
        guard stored.contains("\"server_values\":") || stored.contains("\"existing\":") else { return stored }
        let answer = try JSON(parsing: stored)
        let shown =
            try answer
            .mappingRows(of: "conflicts") { try sees($0["id"], $1) ? $0 : $0.setting("server_values", to: [:]) }
            .mappingRows(of: "rejected") { try sees($0["existing"], $1) ? $0 : $0.setting("existing", to: .null) }
        return shown == answer ? stored : shown.text
    }

    private func sees(_ id: JSON?, _ name: String) throws -> Bool {
        guard let id = id?.string else { return true }
        guard let collection = registry[name] else { return false }
        // Nobody knows any more who could see a row that was purged.
        guard let record = try transaction.record(RowKey(name, id)) else { return collection.visibility == .everyone }
        return try access(record.project)?.finds(record, in: collection, registry) ?? false
    }
}

extension JSON {
    /// An upload's answer with other elements in one of its lists. `change` gets an element and its collection's name.
    fileprivate func mappingRows(of list: String, _ change: (JSON, String) throws -> JSON) rethrows -> JSON {
        guard let lists = self[list]?.object else { return self }
        let changed = try lists.map { name, rows in
            (name, JSON.array(try (rows.array ?? []).map { try change($0, name) }))
        }
        return setting(list, to: .object(Dictionary(uniqueKeysWithValues: changed)))
    }
}
