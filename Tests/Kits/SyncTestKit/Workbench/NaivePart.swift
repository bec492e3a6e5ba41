package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Says which rows are in a part by the words of the protocol: from the filter's text and the rows as clients have
/// them. It knows nothing of `Part`.
package struct NaivePart {
    private let filter: [String: JSON]
    private let registry: Registry
    private let user: Int64

    package init(_ filter: String, _ registry: Registry, user: Int64) throws {
        self.filter = try JSON(parsing: filter).object ?? [:]
        self.registry = registry
        self.user = user
    }

    /// Those of the rows, which are all that the user sees, that are in the part.
    package func rows(of all: [RowKey: JSON]) -> [RowKey: JSON] {
        let projects = all.filter { $0.key.collection == "projects" && isAskedFor($0.key.id, $0.value) }
        let ids = Set(projects.keys.map(\.id))
        return all.filter { key, row in
            let project = key.collection == "projects" ? key.id : row["project_id"]?.string
            return (filter["projects"] == nil || ids.contains(project ?? "")) && holds(key, row, all)
        }
    }

    private func isAskedFor(_ id: String, _ project: JSON) -> Bool {
        let asked = filter["projects"]?.array ?? [[:]]
        return asked.contains { $0 == .string(id) || $0.object.map { meetsAll(project, $0) } ?? false }
    }

    private func meetsAll(_ row: JSON, _ conditions: [String: JSON]) -> Bool {
        conditions.allSatisfy { meets(row[$0.key] ?? .null, $0.value) }
    }

    private func holds(_ key: RowKey, _ row: JSON, _ all: [RowKey: JSON]) -> Bool {
        if key.collection != "projects", let alternatives = filter[key.collection]?.array {
            return alternatives.contains { meetsAll(row, $0.object ?? [:]) }
        }
        let collection = registry.collection(key.collection)
        guard let field = collection.follows, let target = collection.field(field)?.reference?.collection,
            let id = row[field]?.string, let parent = all[RowKey(target, id)]
        else { return true }
        return holds(RowKey(target, id), parent, all)
    }

    private func meets(_ value: JSON, _ condition: JSON) -> Bool {
        if let list = condition.array { return list.contains { meets(value, $0) } }
        guard let members = condition.object else { return value == meant(condition) }
        if let other = members["not"] { return !meets(value, other) }
        if let wanted = members["has"] {
            return (wanted.array ?? [wanted]).contains { value.array?.contains($0) ?? false }
        }
        guard let text = value.string else { return false }
        return text >= members["from"]?.string ?? "" && text <= members["until"]?.string ?? "~"
    }

    private func meant(_ value: JSON) -> JSON { value == "@me" ? .int(user) : value }
}
