package import SyncProtocol
package import SyncSchema
package import SyncStore

/// A project as JSON, with all its live rows, private ones included, from one committed state:
///
/// ```json
/// {"tidemark_export": 2,
///  "rows": {"projects": [{"id": "p1", "name": "Hall", …}], "tasks": [{"id": "t1", "assignee": "alice", …}], …},
///  "users": [{"username": "alice", "display_name": "Alice Ash"}]}
/// ```
///
/// Rows have their wire form and are in order of creation. They include the values that the server
/// writes, and refer to users by user name instead of id. They leave out what another server sets
/// by itself: `server_version`, `project`, `display_name`.
package struct ProjectExport<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry

    package init(store: Store, registry: Registry) {
        self.store = store
        self.registry = registry
    }

    /// Writes the text to `out` in pieces, with one row a line. Memory does not grow with the project. Throws
    /// `not_found`, `project_deleted`, and what `out` throws.
    package func write(_ project: String, to out: @escaping @Sendable (String) throws -> Void) async throws {
        try await store.read(.project(project)) { transaction in
            try transaction.requireLive(project)
            var users = UserNames(transaction)
            try out("{\"tidemark_export\":\(ExportedProject.version),\n\"rows\":{")
            for (index, collection) in registry.collections.enumerated() {
                try out((index > 0 ? ",\n" : "\n") + "\(JSON.string(collection.name).text):[")
                try write(collection, of: project, users: &users, in: transaction, to: out)
                try out("]")
            }
            try out("\n},\n\"users\":\(users.list.text)}\n")
        }
    }

    /// The files that the project's live rows name, and that the server has, by digest.
    package func files(of project: String) async throws -> [StoredFile] {
        try await store.read(.project(project)) { transaction in
            var (named, last): ([StoredFile], StoredFile?) = ([], nil)
            let start = StoredFile(project: project, digest: "", size: 0, place: "", unnamedSince: nil)
            while true {
                let found = try transaction.storedFiles(areMissing: false, after: last ?? start, limit: 1000)
                let own = found.filter { $0.project == project }
                named += own.filter { $0.unnamedSince == nil }
                guard own.count == 1000 else { return named }
                last = own.last
            }
        }
    }

    private func write(
        _ collection: Collection, of project: String, users: inout UserNames, in transaction: any ReadTransaction,
        to out: (String) throws -> Void
    ) throws {
        var position = CreationPosition.start
        var separator = "\n"
        while true {
            let rows = try transaction.list(collection, project: project, rows: .all, after: position, limit: 200)
            for row in rows {
                try out(separator + users.exported(row, collection).text)
                separator = ",\n"
            }
            guard let last = rows.last else { return }
            position = last.creation
        }
    }
}

/// The users that rows refer to.
private struct UserNames {
    private let transaction: any ReadTransaction
    private var known: [Int64: User] = [:]

    init(_ transaction: any ReadTransaction) { self.transaction = transaction }

    /// The users, sorted by name. Not an object: of two canonically equivalent
    /// names, many JSON readers would keep only one.
    var list: JSON {
        .array(
            known.values.sorted { $0.username < $1.username }.map { user in
                ["username": .string(user.username.rawValue), "display_name": .string(user.displayName)]
            })
    }

    mutating func exported(_ row: StoredRow, _ collection: Collection) throws -> JSON {
        var members: [String: JSON] = ["id": .string(row.id)]
        for (field, value) in zip(collection.fields, row.values) where field.isExported {
            members[field.name] = try exported(value, of: field)
        }
        return .object(members)
    }

    private mutating func exported(_ value: JSON, of field: Field) throws -> JSON {
        if field.holdsUser { return try name(of: value) }
        guard field.holdsUsers, let users = value.array else { return value }
        var names: [JSON] = []
        for user in users { names.append(try name(of: user)) }
        return .array(names.filter { !$0.isNull })
    }

    private mutating func name(of value: JSON) throws -> JSON {
        guard let id = value.int else { return .null }
        if known[id] == nil { known[id] = try transaction.user(id: id) }
        return known[id].map { .string($0.username.rawValue) } ?? .null
    }
}

extension Field {
    /// Whether the value means the same on another server.
    var isExported: Bool { serverValue != .project && serverValue != .displayName }
}

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
