import SyncProtocol
package import SyncSchema
import SyncStore
import SyncValues

/// Makes rows that were written before a field was a reference follow the schema. A reference to nothing live becomes
/// null or is removed from its list. If a reference can't be null, its row is deleted. Drafts do this, so clients
/// receive the changes. Clients also receive again the rows of which they may have another value in a new field.
///
/// Part of the migration's transaction, in which the new references are not enforced yet.
struct ReferenceMending<Transaction: SQLTransaction> {
    private let transaction: Transaction
    private let mender: any RowMender
    private let now: Instant
    private var registry: Registry { transaction.registry }

    init(_ transaction: Transaction, _ mender: any RowMender, now: Instant) {
        self.transaction = transaction
        self.mender = mender
        self.now = now
    }

    /// `changes` are the collections whose documents changed, by name. Throws a `SchemaError` if a project or a
    /// membership would have to be deleted.
    func run(_ changes: [String: CollectionChange]) throws -> Mending {
        var dead: [String: [DeadReference]] = [:]
        for collection in registry.collections {
            for field in collection.fields where field.isLookedUp {
                let isNew = changes[collection.name]?.hasNewReference(field) ?? false
                for (project, reference) in try references(of: field, collection, isNew: isNew) {
                    dead[project, default: []].append(reference)
                }
            }
        }
        var mending = Mending()
        let again = try wrongGates().merging(try rowsWithNewFields(changes)) { $0 + $1 }
        for project in Set(dead.keys).union(again.keys).sorted() {
            mending += try mender.mend(
                dead[project] ?? [], delivering: again[project] ?? [], of: project, registry,
                author: try author(of: project), at: now, in: transaction)
        }
        return mending
    }

    /// A member with the highest role. Every edit in the history needs an author.
    private func author(of project: String) throws -> Int64 {
        let sql = """
            SELECT user_id FROM tidemark_access WHERE project_id = ?1 ORDER BY role DESC, user_id LIMIT 1
            """
        return try transaction.first(sql, [.string(project)]) { $0.integer(0) } ?? 0
    }

    // MARK: Finding

    private func references(
        of field: Field, _ collection: Collection, isNew: Bool
    ) throws -> [(project: String, DeadReference)] {
        let query = DeadQuery(dialect: transaction.layout(collection).dialect)
        var queries = [query.live(of: field, collection)]
        if isNew, field.user == .clear { queries.append(query.leavers(in: field, collection, registry)) }
        var found = try queries.compactMap { $0 }.flatMap { sql in
            try transaction.all(sql, isKept: false) {
                ($0.string(0), DeadReference(RowKey(collection.name, $0.string(1)), field: field.name))
            }
        }
        if isNew { found += try links(closingCircles: field, collection) }
        if collection.scope != .ordinary, !field.value.isNullable, !field.isListOfIDs,
            let first = found.first
        {
            throw SchemaError(
                file: collection.name, pointer: "/properties/\(field.name)",
                reason: """
                    \(first.1.key.id) refers to no live row, and can't be deleted for that reason. Start the server \
                    with the old file and write the id of a live row, or allow null.
                    """)
        }
        return found
    }

    /// A tree must have no cycles. Nothing checked that before the
    /// field was a reference. One link of each cycle is removed.
    private func links(
        closingCircles field: Field, _ collection: Collection
    ) throws -> [(project: String, DeadReference)] {
        guard let reference = field.reference, !reference.isList, reference.onDelete == .cascade,
            reference.collection == collection.name
        else { return [] }
        let sql = """
            SELECT project_id, id, "\(field.name)" FROM "\(collection.name)"
            WHERE is_deleted = 0 AND "\(field.name)" IS NOT NULL ORDER BY id
            """
        let links = try transaction.all(sql) { (project: $0.string(0), id: $0.string(1), parent: $0.string(2)) }
        let circles = Circles(parents: Dictionary(links.map { ($0.id, $0.parent) }) { $1 }).closingLinks
        return links.filter { circles.contains($0.id) }
            .map { ($0.project, DeadReference(RowKey(collection.name, $0.id), field: field.name)) }
    }

    /// Rows that are hidden and should not be, or the reverse, because they now inherit the gate from another row.
    private func wrongGates() throws -> [String: [RowKey]] {
        var keys: [String: [RowKey]] = [:]
        for collection in registry.collections {
            let field: String
            switch collection.visibility {
            case .everyone, .own, .listed, .gate, .inheritedList: continue
            case .inherited(let name): field = name
            }
            guard let parent = collection.field(field)?.reference?.collection else { continue }
            let sql = InheritedGate.wrong(in: collection, by: field, from: parent)
            for (project, id) in try transaction.all(sql, [], read: { ($0.string(0), $0.string(1)) }) {
                keys[project, default: []].append(RowKey(collection.name, id))
            }
        }
        return keys
    }
}

extension ReferenceMending {
    /// Rows of a collection that more users see now, and rows of which an app that had a new field before the server
    /// may have another value: all if such an app does not have the default there, otherwise those that somebody sent
    /// with the field.
    private func rowsWithNewFields(_ changes: [String: CollectionChange]) throws -> [String: [RowKey]] {
        var keys: [String: [RowKey]] = [:]
        for (name, change) in changes {
            let fields = change.newFields.map { change.new.field(named: $0) }
            let isEverywhere =
                change.gainsRole || fields.contains { !WireEncoding.watermelondb.isUnset($0.fallback, of: $0) }
            let rows = try isEverywhere ? liveRows(of: name) : fields.flatMap { try rowsSent(with: $0, of: name) }
            for (project, id) in rows { keys[project, default: []].append(RowKey(name, id)) }
        }
        return keys
    }

    /// Rows that somebody sent with the field. The sender's inbox still has the value. An entry without a field stands
    /// for many fields.
    private func rowsSent(with field: Field, of collection: String) throws -> [(project: String, id: String)] {
        let sql = """
            SELECT DISTINCT project_id, row_id FROM tidemark_inbox
            WHERE code = '\(ErrorCode.unknownField.rawValue)' AND collection = ?1 AND (field = ?2 OR field IS NULL)
              AND project_id <> ''
            """
        return try transaction.all(sql, [.string(collection), .string(field.name)]) {
            ($0.string(0), $0.string(1))
        }
    }

    private func liveRows(of collection: String) throws -> [(project: String, id: String)] {
        let sql = """
            SELECT t.project_id, t.id FROM "\(collection)" t JOIN tidemark_projects p ON p.id = t.project_id
            WHERE t.is_deleted = 0 AND p.is_deleted = 0
            """
        return try transaction.all(sql, []) { ($0.string(0), $0.string(1)) }
    }
}

/// The cycles in a graph in which each node has at most one parent.
struct Circles {
    /// One node of each cycle. Removing the link from that node to its parent breaks the cycle.
    private(set) var closingLinks: Set<String> = []

    init(parents: [String: String]) {
        var walks: [String: Int] = [:]
        for (number, start) in parents.keys.sorted().enumerated() {
            var node: String? = start
            while let here = node, walks[here] == nil {
                walks[here] = number
                node = parents[here]
            }
            // The walk came back to one of its own nodes, so this cycle is new.
            if let node, walks[node] == number, parents[node] != nil { closingLinks.insert(node) }
        }
    }
}

/// The gate that rows inherit from the row that they refer to.
package enum InheritedGate {
    /// Selects the project and id of rows that are hidden from members who should see them, or the reverse.
    package static func wrong(in collection: Collection, by field: String, from parent: String) -> String {
        """
        SELECT t.project_id, t.id FROM "\(collection.name)" t LEFT JOIN "\(parent)" r ON r.id = t."\(field)"
        WHERE t.is_deleted = 0 AND t.is_gated <> COALESCE(r.is_gated, 0)
        """
    }
}

/// Queries for rows whose references break the schema's rules.
struct DeadQuery {
    let dialect: any SQLDialect

    /// What a reference may refer to.
    enum Referred {
        case liveRows, anyRows
    }

    /// The condition, on a row `t`, that the field refers to no such row of the row's project, or to no user. For a
    /// list: that this is so for one of its ids. Nil for a field that is no reference.
    func unmet(_ field: Field, by referred: Referred) -> String? {
        let column = "t.\"\(field.name)\""
        guard let reference = field.reference else {
            guard field.user != nil else { return nil }
            guard field.isListOfIDs else {
                return "\(column) IS NOT NULL AND \(column) NOT IN (SELECT id FROM tidemark_users)"
            }
            let isUser = "SELECT 1 FROM tidemark_users u WHERE u.id = \(DeadQuery.userOfElement)"
            return "EXISTS (SELECT 1 FROM \(dialect.elements(of: column)) WHERE NOT EXISTS (\(isUser)))"
        }
        let isLive = referred == .liveRows ? " AND r.is_deleted = 0" : ""
        let isThere =
            "SELECT 1 FROM \"\(reference.collection)\" r WHERE r.project_id = t.project_id\(isLive) AND r.id ="
        if reference.isList {
            return "EXISTS (SELECT 1 FROM \(dialect.elements(of: column)) WHERE NOT EXISTS (\(isThere) e.value))"
        }
        return "\(column) IS NOT NULL AND NOT EXISTS (\(isThere) \(column))"
    }

    /// Selects the project and id of live rows that refer to nothing live in their project or to no user, or whose list
    /// has an id twice. Nil for a field that is no reference.
    func live(of field: Field, _ collection: Collection) -> String? {
        guard var condition = unmet(field, by: .liveRows) else { return nil }
        if field.isListOfIDs {
            let elements = dialect.elements(of: "t.\"\(field.name)\"")
            condition = """
                (\(condition) OR (SELECT count(*) > count(DISTINCT e.value) FROM \(elements)))
                """
        }
        return "SELECT t.project_id, t.id FROM \"\(collection.name)\" t WHERE t.is_deleted = 0 AND \(condition)"
    }

    /// Selects the project and id of live rows that refer to a user who is no longer a member.
    func leavers(in field: Field, _ collection: Collection, _ registry: Registry) -> String {
        let column = "t.\"\(field.name)\""
        func isNoMember(_ user: String) -> String {
            """
            NOT EXISTS (SELECT 1 FROM "\(registry.memberships.name)" m
              WHERE m.project_id = t.project_id AND m.is_deleted = 0 AND m.user = \(user))
            """
        }
        let hasLeft =
            field.isListOfIDs
            ? "EXISTS (SELECT 1 FROM \(dialect.elements(of: column)) WHERE \(isNoMember(DeadQuery.userOfElement)))"
            : "\(column) IS NOT NULL AND \(isNoMember(column))"
        return "SELECT t.project_id, t.id FROM \"\(collection.name)\" t WHERE t.is_deleted = 0 AND \(hasLeft)"
    }

    /// An element of a list of users, in the query of its elements.
    private static let userOfElement = "CAST(e.value AS BIGINT)"
}

/// Makes tombstones refer to rows that exist, because foreign keys require it. Nobody is served a tombstone's values.
/// So if a reference can't be null, any row of the project will do.
struct TombstoneMending<Transaction: SQLTransaction> {
    let transaction: Transaction
    private var registry: Registry { transaction.registry }

    /// Returns the collections whose rows changed. The checksums of these rows are now wrong.
    func run() throws -> Set<String> {
        var changed: Set<String> = []
        for collection in registry.collections {
            for field in collection.fields where field.isLookedUp {
                if try mend(field, of: collection) > 0 { changed.insert(collection.name) }
            }
        }
        return changed
    }

    private func mend(_ field: Field, of collection: Collection) throws -> Int {
        let query = DeadQuery(dialect: transaction.layout(collection).dialect)
        guard let unmet = query.unmet(field, by: .anyRows) else { return 0 }
        let condition = "t.is_deleted = 1 AND \(unmet)"
        let count = try transaction.change(
            """
            UPDATE "\(collection.name)" AS t SET "\(field.name)" = \(standIn(field, of: collection))
            WHERE \(condition)
            """, [])
        if count > 0, !field.value.isNullable, field.reference?.isList == false {
            try purge(collection, where: condition)
        }
        return count
    }

    /// The SQL expression that replaces the reference.
    private func standIn(_ field: Field, of collection: Collection) -> String {
        let column = "t.\"\(field.name)\""
        if field.isListOfIDs { return "'[]'" }
        guard let reference = field.reference else {
            return field.value.isNullable ? "NULL" : "(SELECT min(id) FROM tidemark_users)"
        }
        if field.value.isNullable { return "NULL" }
        if reference.collection == collection.name { return "t.id" }
        return """
            COALESCE(
              (SELECT r.id FROM "\(reference.collection)" r WHERE r.project_id = t.project_id LIMIT 1), \(column))
            """
    }

    /// If the project has no row to refer to, the tombstone is purged.
    /// Clients that may not have received it start again from 0.
    private func purge(_ collection: Collection, where condition: String) throws {
        let rows = "SELECT t.id FROM \"\(collection.name)\" t WHERE \(condition)"
        let name = collection.name
        for statement in [
            """
            UPDATE tidemark_projects SET horizon = head
            WHERE id IN (SELECT t.project_id FROM "\(name)" t WHERE \(condition))
            """,
            "DELETE FROM tidemark_changes WHERE collection = '\(name)' AND row_id IN (\(rows))",
            "DELETE FROM tidemark_list_references WHERE collection = '\(name)' AND row_id IN (\(rows))",
            """
            UPDATE tidemark_row_counts AS c SET tombstones = tombstones - (
              SELECT count(*) FROM "\(name)" t WHERE t.project_id = c.project_id AND \(condition))
            WHERE collection = '\(name)'
            """,
            "DELETE FROM \"\(name)\" AS t WHERE \(condition)",
        ] { try transaction.run(statement, []) }
    }
}
