import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Puts a new project's content into its draft, by the same rules as every other write.
struct ContentLoader {
    let draft: Draft
    let content: ProjectContent
    let newID: NewID
    /// Called for each row as it is checked.
    var onRow: () -> Void = {}

    /// Inserts and checks the memberships and rows. Throws `invalid_rows` or `id_unavailable` with the rows at fault.
    func load() throws {
        try insertMemberships()
        if content.keepsServerValues { try skipShortIDs() }
        try loadRows()
    }

    /// Inserts and checks only the rows, for a project that already exists.
    func loadRows() throws {
        try requireCollections()
        var problems: [RowProblem] = []
        for collection in draft.registry.collections { problems += try insert(collection) }
        guard problems.isEmpty else { throw refusal(problems) }
        for collection in draft.registry.collections { problems += try check(collection) }
        guard problems.isEmpty else { throw refusal(problems) }
    }

    /// Refuses rows of collections that the schema doesn't have. They are never silently left out.
    private func requireCollections() throws {
        let unknown = content.rows.filter { !$0.value.isEmpty && draft.registry[$0.key] == nil }.keys.sorted()
        guard unknown.isEmpty else {
            throw Problem(
                .invalidRows, "Nothing was stored: the schema has no collection \(unknown.joined(separator: ", ")).")
        }
    }

    private func insertMemberships() throws {
        let others = content.members.filter { $0.key != content.owner }.sorted { $0.key < $1.key }
        for (user, role) in [(content.owner, Role.owner)] + others.map({ ($0.key, $0.value) }) {
            try draft.insertMembership(newID(), of: user, as: role)
        }
    }

    private func insert(_ collection: Collection) throws -> [RowProblem] {
        let edit = RowEdit(
            collection: collection, role: nil, userID: content.owner, keepsLongTexts: content.keepsServerValues,
            judged: collection.scope == .project ? content.judged : .none)
        var problems: [RowProblem] = []
        for (index, row) in (content.rows[collection.name] ?? []).enumerated() {
            let place = Place(collection: collection.name, index: index, id: row["id"]?.string)
            guard let id = place.id, RowID.isValid(id) else {
                problems.append(place.problem(Violation("id", .invalidID, detail: "The row has no valid id.")))
                continue
            }
            let key = RowKey(collection.name, id)
            guard try draft.record(key) == nil else {
                problems.append(place.problem(Violation("id", .idUnavailable, detail: "The id can't be used.")))
                continue
            }
            switch edit.inserted(row) {
            case .success(let values):
                do {
                    try draft.insert(key, values: values.values, kept: try serverValues(of: row, collection))
                } catch let problem as Violation {
                    problems.append(place.problem(problem))
                }
            case .failure(let failure): problems += failure.list.map(place.problem)
            }
        }
        return problems
    }

    /// The server-owned values that the row brings along, by position. Empty unless the content keeps server values.
    private func serverValues(of row: [String: JSON], _ collection: Collection) throws -> [Int: JSON] {
        guard content.keepsServerValues else { return [:] }
        var kept: [Int: JSON] = [:]
        for (position, field) in collection.fields.enumerated() where field.isServerOwned && field.isExported {
            guard let value = row[field.name] else { continue }
            do {
                kept[position] = try field.value.normalized(value)
            } catch {
                throw Violation(field.name, error.code, detail: error.detail, pointer: error.pointer)
            }
        }
        return kept
    }

    /// Moves the counter of short ids past those that the content brings along.
    private func skipShortIDs() throws {
        var last: Int64 = 0
        for collection in draft.registry.collections {
            guard let field = collection.fields.first(where: { $0.serverValue == .shortID }) else { continue }
            for row in content.rows[collection.name] ?? [] {
                last = max(last, row[field.name]?.string.flatMap(ShortID.number) ?? 0)
            }
        }
        if last > 0 { try draft.takeShortIDs(last) }
    }

    private func check(_ collection: Collection) throws -> [RowProblem] {
        var problems: [RowProblem] = []
        for (index, row) in (content.rows[collection.name] ?? []).enumerated() {
            let place = Place(collection: collection.name, index: index, id: row["id"]?.string)
            onRow()
            do {
                let key = RowKey(collection.name, place.id ?? "")
                if let problem = try draft.checks.unsoundReference(of: key) { throw problem }
                try draft.checks.check(key)
            } catch let problem as Violation {
                problems.append(place.problem(problem))
            }
        }
        return problems
    }

    private func refusal(_ problems: [RowProblem]) -> Problem {
        Problem(
            problems.allSatisfy { $0.code == .idUnavailable } ? .idUnavailable : .invalidRows,
            "\(counted(problems.count, "problem")), nothing was stored. First: "
                + "\(problems[0].collection) \(problems[0].id ?? ""): \(problems[0].detail)",
            errors: Array(problems.prefix(100)))
    }

    private struct Place {
        let collection: String
        let index: Int
        let id: String?

        func problem(_ problem: Violation) -> RowProblem {
            RowProblem(problem, at: "/\(collection)/\(index)", collection: collection, id: id)
        }
    }
}

extension Draft {
    /// Makes the user a member of the draft's project.
    func insertMembership(_ id: String, of user: Int64, as role: Role) throws {
        let fields: [String: JSON] = ["user": .int(user), "role": .int(Int64(role.rawValue))]
        try insert(RowKey(registry.memberships.name, id), fields)
    }

    /// Inserts a row of the server's own making, with these fields and defaults for all others.
    func insert(_ key: RowKey, _ fields: [String: JSON]) throws {
        let edit = RowEdit(collection: registry.collection(key.collection), role: nil, userID: author)
        try insert(key, values: try edit.inserted(fields).get().values)
    }
}

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
    /// Files whose bytes are kept. They are recorded with the project, as sent by the owner.
    var files: [StoredFile] = []
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
