import GRDB
import SyncProtocol
import SyncValues

/// For what else the server may refuse an edit, in its words, as far as the replica knows. It may know too little: a
/// role may have changed, and rows may be there that it does not have. So these are no reasons to refuse an edit here.
struct EditWarnings {
    let table: RowTable
    let schema: ServerSchema
    /// The row's id; a new one for a new row.
    let id: String
    /// Nil for a new row.
    let old: LocalRow?
    /// What the edit gives the row.
    let fields: [String: JSON]

    private var db: Database { table.db }
    private var collection: CollectionSchema { table.collection }
    private var values: [String: JSON] { (old?.values ?? [:]).merging(fields) { $1 } }

    func found() throws -> [Violation] { try archived() + forbidden() + missingRows() + doubled() }

    /// The row's project; nil if the edit does not say.
    private var project: String? {
        guard schema.isForAllProjects else { return nil }
        return collection.name == ProjectColumn.collection ? id : values[ProjectColumn.name]?.string
    }

    private func archived() throws -> [Violation] {
        guard let projects = schema[ProjectColumn.collection], projects["is_archived"] != nil else { return [] }
        let condition = project == nil ? "1" : "id = \(ProjectColumn.literal(project ?? ""))"
        let sql = "SELECT EXISTS (SELECT 1 FROM \(ProjectColumn.collection) WHERE is_archived AND \(condition))"
        guard try Bool.fetchOne(db, sql: sql) ?? false else { return [] }
        return [Violation(nil, .projectArchived, detail: "The project is archived. An owner can unarchive it.")]
    }

    /// The caller's role is known in a replica of all projects that has an owner.
    private func forbidden() throws -> [Violation] {
        guard let role = try role(), let document = collection.document["x-roles"] else { return [] }
        if let needed = document[old == nil ? "create" : "update"]?.string.flatMap(Role.init(word:)), role < needed,
            try !mayWithoutRole(document)
        {
            let verb = old == nil ? "Creating" : "Changing"
            return [.forbidden("\(verb) \(collection.name)", needed: needed, own: role)]
        }
        let owner = try owner()
        return fields.keys.sorted().compactMap { name in
            guard let field = collection[name]?.document, fields[name] != old?.values[name],
                let needed = field["x-role"]?.string.flatMap(Role.init(word:)), role < needed, !isAuthor(owner, field)
            else { return nil }
            return Violation(
                name, .fieldForbidden, detail: "Writing \(name) needs the role \(needed.word) or above.")
        }
    }

    /// Whether the roles let the author of a row change it, or those whom it lists, and the caller is one of them.
    private func mayWithoutRole(_ roles: JSON) throws -> Bool {
        guard let old, let owner = try owner() else { return false }
        let listed = collection.document["x-visibility"]?["listed"]?.array?.compactMap(\.string) ?? []
        return collection.columns.contains { column in
            let value = old.values[column.name] ?? .null
            guard (value.array ?? [value]).contains(.int(owner)) else { return false }
            let isAuthor = column.document["x-value"] == "caller" && mayUpdate("author", roles)
            return isAuthor || listed.contains(column.name) && mayUpdate("listed", roles)
        }
    }

    private func mayUpdate(_ who: String, _ roles: JSON) -> Bool { roles[who]?.array?.contains("update") ?? false }

    /// Whoever creates a row is its author.
    private func isAuthor(_ user: Int64?, _ field: JSON) -> Bool {
        guard let author = field["x-author"]?.string else { return false }
        guard let old else { return true }
        return user != nil && old.values[author]?.int == user
    }

    private func owner() throws -> Int64? { try Int64.fetchOne(db, sql: "SELECT owner FROM _replica") }

    private func role() throws -> Role? {
        guard let project, try db.tableExists("memberships") else { return nil }
        let sql = """
            SELECT role FROM memberships
            WHERE \(ProjectColumn.name) = ? AND "user" = (SELECT owner FROM _replica) AND _status <> 'deleted'
            """
        return try Int.fetchOne(db, sql: sql, arguments: [project]).flatMap(Role.init(rawValue:))
    }

    private func missingRows() throws -> [Violation] {
        try collection.columns.compactMap { column in
            guard let target = column.reference, let value = fields[column.name], value != old?.values[column.name]
            else { return nil }
            let ids = (value.array ?? [value]).compactMap(\.string)
            guard let missing = try ids.first(where: { try !isHere($0, in: target) }) else { return nil }
            return Violation(
                column.name, .unknownReference,
                detail: "\(column.name) refers to \(JSON.string(missing).text), which is not in this project.")
        }
    }

    private func isHere(_ id: String, in collection: String) throws -> Bool {
        guard schema[collection] != nil, try db.tableExists(collection) else { return true }
        let sql = "SELECT EXISTS (SELECT 1 FROM \(SQLName.quoted(collection)) WHERE id = ? AND _status <> 'deleted')"
        return try Bool.fetchOne(db, sql: sql, arguments: [id]) ?? false
    }

    /// Unique keys that another row has. Keys with a field that the server fills are its to judge.
    private func doubled() throws -> [Violation] {
        try (collection.document["x-unique"]?.array ?? []).compactMap { key in
            let names = key["fields"]?.array?.compactMap(\.string) ?? []
            let condition = key["where"]?.object ?? [:]
            guard !names.isEmpty, names.contains(where: { fields[$0] != nil }),
                names.allSatisfy({ collection[$0]?.isReadOnly == false && !(values[$0] ?? .null).isNull }),
                condition.allSatisfy({ values[$0.key] == $0.value }),
                let other = try otherRow(with: names.map { ($0, values[$0] ?? .null) } + condition.map { ($0, $1) })
            else { return nil }
            var violation = Violation(
                names.last, .notUnique, detail: "Another row already has this \(names.joined(separator: ", ")).")
            violation.existing = other
            return violation
        }
    }

    /// The id of another row with these values; the first one by its id.
    private func otherRow(with wanted: [(name: String, value: JSON)]) throws -> String? {
        let conditions = wanted.map { "\(SQLName.quoted($0.name)) IS ?" }.joined(separator: " AND ")
        let sql = """
            SELECT id FROM \(SQLName.quoted(collection.name))
            WHERE id <> ? AND _status <> 'deleted' AND \(conditions) ORDER BY id LIMIT 1
            """
        let arguments = [id.databaseValue] + wanted.map { SQLValue.encode($0.value) }
        return try String.fetchOne(db, sql: sql, arguments: StatementArguments(arguments))
    }
}
