import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Everything that a new project starts with.
package struct ProjectContent: Sendable {
    /// Wire rows by collection, each with its id: exactly one project, and no memberships.
    package var rows: [String: [[String: JSON]]]
    /// The id of the user who owns the project.
    package var owner: Int64
    /// Users who become members besides the owner, by id.
    package var members: [Int64: Role]
    /// Whether rows bring along values that otherwise only the server writes.
    var keepsServerValues = false
    /// What was found out of the project's own row before.
    var judged = JudgedValues.none
    /// Who makes the project, as the audit list names them.
    var actor: Actor

    /// The fields of the calendar of a project that names none.
    static let defaultCalendar: [String: JSON] = ["name": "Standard"]

    package init(
        rows: [String: [[String: JSON]]], owner: Int64, members: [Int64: Role], by actor: Actor = .thisProcess
    ) {
        self.rows = rows
        self.owner = owner
        self.members = members
        self.actor = actor
    }

    /// The fields with values that a client could not write with this schema, such as `tasks.duration`. If the schema
    /// lacks a whole collection, only its name. Nulls don't count: leaving one out loses nothing.
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

    /// The id of the project. Throws `invalid_rows` unless there is exactly one project with a valid id.
    func projectID(_ registry: Registry) throws -> String {
        let rows = rows[registry.projects.name] ?? []
        guard rows.count == 1, let id = rows[0]["id"]?.string, RowID.isValid(id) else {
            throw Problem(.invalidRows, Violation.invalidID.detail)
        }
        return id
    }
}
