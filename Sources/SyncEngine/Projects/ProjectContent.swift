import SyncAccounts
package import SyncProtocol
package import SyncSchema
import SyncStore

/// Everything that a new project begins with.
package struct ProjectContent: Sendable {
    /// Wire rows by collection, each with its id; exactly one of the projects collection, none of memberships.
    package var rows: [String: [[String: JSON]]]
    package var owner: Int64
    /// Users who become members next to the owner.
    package var members: [Int64: Role]
    /// Whether rows bring the values along that the server writes otherwise.
    var keepsServerValues = false

    package init(rows: [String: [[String: JSON]]], owner: Int64, members: [Int64: Role]) {
        self.rows = rows
        self.owner = owner
        self.members = members
    }

    /// The values by collection and field that a client could not write into this schema, as `tasks.duration`; the
    /// collection alone where there is none. A null is no loss.
    package func misfits(_ registry: Registry) -> Set<String> {
        rows.reduce(into: []) { misfits, rows in
            guard let collection = registry[rows.key] else {
                if !rows.value.isEmpty { misfits.insert(rows.key) }
                return
            }
            for (name, value) in rows.value.joined() where name != "id" && !value.isNull {
                if collection.field(name)?.isServerOwned ?? true { misfits.insert("\(collection.name).\(name)") }
            }
        }
    }

    func projectID(_ registry: Registry) throws -> String {
        let rows = rows[registry.projects.name] ?? []
        guard rows.count == 1, let id = rows[0]["id"]?.string, RowID.isValid(id) else {
            throw Problem(.invalidRows, "A project's id has 1 to 64 letters, digits, _ . or -.")
        }
        return id
    }
}
