package import SyncProtocol
import SyncSchema
import SyncStore

/// Live rows of a project.
package struct ProjectRows: Sendable {
    /// The wire form of the rows by collection, each with its `id`, in order of creation.
    package let rows: [String: [[String: JSON]]]
    /// The number of live rows in each of the other collections.
    package let others: [String: Int]
}

extension ProjectExport {
    /// The live rows of some collections, private ones included, from one committed
    /// state. Throws `not_found` and `project_deleted`.
    package func rows(of project: String, in collections: Set<String>) async throws -> ProjectRows {
        try await store.read(.project(project)) { transaction in
            try transaction.requireLive(project)
            var rows: [String: [[String: JSON]]] = [:]
            for collection in registry.collections where collections.contains(collection.name) {
                rows[collection.name] = try self.rows(of: project, in: collection, transaction)
            }
            let others = try transaction.counts(project: project).filter { !collections.contains($0.key) }
            return ProjectRows(rows: rows, others: others.mapValues(\.live))
        }
    }

    private func rows(
        of project: String, in collection: Collection, _ transaction: any ReadTransaction
    ) throws -> [[String: JSON]] {
        var (rows, position): ([[String: JSON]], CreationPosition) = ([], .start)
        while true {
            let page = try transaction.list(collection, project: project, rows: .all, after: position, limit: 200)
            rows += page.map { wireRow($0, collection) }
            guard let last = page.last else { return rows }
            position = last.creation
        }
    }

    private func wireRow(_ row: StoredRow, _ collection: Collection) -> [String: JSON] {
        var members: [String: JSON] = ["id": .string(row.id)]
        for (field, value) in zip(collection.fields, row.values) where field.isExported { members[field.name] = value }
        return members
    }
}
