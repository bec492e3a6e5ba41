import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Makes rows that were written before a field was a reference follow the schema: what refers to nothing live becomes
/// null or leaves its list, and a row that can be without neither is deleted. By drafts, so that clients are told. They
/// also get the rows again of which somebody sent a field before the server had it.
///
/// Part of the migration's transaction, in which foreign keys are off.
struct ReferenceMending {
    private let db: Database
    private let registry: Registry
    private let transaction: SQLiteTransaction
    private let mender: any RowMender
    private let now: Instant

    init(_ db: Database, _ registry: Registry, _ mender: any RowMender, now: Instant) {
        self.db = db
        self.registry = registry
        self.mender = mender
        self.now = now
        transaction = SQLiteTransaction(db, registry, [String: SQLiteTable](registry))
    }

    /// `changes` are the collections whose documents changed, by name. Throws a `SchemaError` where a project or a
    /// membership would have to go.
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

    /// A member with the highest role: edits in the history are somebody's.
    private func author(of project: String) throws -> Int64 {
        let sql = """
            SELECT user_id FROM tidemark_access WHERE project_id = ?1 ORDER BY role DESC, user_id LIMIT 1
            """
        return try db.first(sql, [.string(project)]) { $0.integer(0) } ?? 0
    }

    // MARK: Finding

    private func references(
        of field: Field, _ collection: Collection, isNew: Bool
    ) throws -> [(project: String, DeadReference)] {
        var queries = [DeadQuery.live(of: field, collection)]
        if isNew, field.user == .clear { queries.append(DeadQuery.leavers(in: field, collection, registry)) }
        var found = try queries.compactMap { $0 }.flatMap { sql in
            try db.all(sql) { ($0.string(0), DeadReference(RowKey(collection.name, $0.string(1)), field: field.name)) }
        }
        if isNew { found += try links(closingCircles: field, collection) }
        if collection.scope != .ordinary, !field.value.isNullable, field.reference?.isList != true,
            let first = found.first
        {
            throw SchemaError(
                file: collection.name, pointer: "/properties/\(field.name)",
                reason: """
                    \(first.1.key.id) refers to nothing live, and can't be deleted for that. Start the server \
                    with the file as it was and write a live id, or allow null.
                    """)
        }
        return found
    }

    /// A tree has no circles, which nothing looked for while the field was none. One link of each goes.
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
        let links = try db.all(sql) { (project: $0.string(0), id: $0.string(1), parent: $0.string(2)) }
        let circles = Circles(parents: Dictionary(links.map { ($0.id, $0.parent) }) { $1 }).closingLinks
        return links.filter { circles.contains($0.id) }
            .map { ($0.project, DeadReference(RowKey(collection.name, $0.id), field: field.name)) }
    }

    /// Rows that are hidden and should be seen, or the other way round, since the row that they inherit from is
    /// another.
    private func wrongGates() throws -> [String: [RowKey]] {
        var keys: [String: [RowKey]] = [:]
        for collection in registry.collections {
            guard case .inherited = collection.visibility else { continue }
            for query in CheckQuery.gates(of: collection, registry) {
                try db.each(query.sql) { row in
                    keys[row.string(0), default: []].append(RowKey(collection.name, row.string(1)))
                    return true
                }
            }
        }
        return keys
    }
}

extension ReferenceMending {
    /// Rows that somebody sent with a field which the schema has gained now: their inbox still has the value.
    private func rowsWithNewFields(_ changes: [String: CollectionChange]) throws -> [String: [RowKey]] {
        let sql = """
            SELECT DISTINCT project_id, row_id FROM tidemark_inbox
            WHERE code = '\(ErrorCode.unknownField.rawValue)' AND collection = ?1 AND field = ?2
            """
        var keys: [String: [RowKey]] = [:]
        for (name, change) in changes {
            for field in change.newFields {
                let rows = try db.all(sql, [.string(name), .string(field)]) { ($0.string(0), $0.string(1)) }
                for (project, id) in rows {
                    keys[project, default: []].append(RowKey(name, id))
                }
            }
        }
        return keys
    }
}

/// The links of a graph in which each node has one parent at most.
struct Circles {
    /// One node of each circle: without its link there is none.
    private(set) var closingLinks: Set<String> = []

    init(parents: [String: String]) {
        var walks: [String: Int] = [:]
        for (number, start) in parents.keys.sorted().enumerated() {
            var node: String? = start
            while let here = node, walks[here] == nil {
                walks[here] = number
                node = parents[here]
            }
            // Back at a node of this very walk: the circle was not met before.
            if let node, walks[node] == number, parents[node] != nil { closingLinks.insert(node) }
        }
    }
}
