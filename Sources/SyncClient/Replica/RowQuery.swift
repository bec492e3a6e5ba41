import GRDB
public import SyncProtocol

/// What a field's value must be, in a query.
public enum RowCondition: Sendable, Equatable {
    /// This value. Null finds rows without one.
    case equals(JSON)
    /// At least the first value, and below the second one; nil for no bound. Rows without a value are not found.
    case range(from: JSON?, below: JSON?)
    /// A text that begins so. Texts are compared by their bytes.
    case prefix(String)
}

/// A path to rows that a query can take without reading all: fields in this order, each with a leading `-` if it is
/// descending. In a replica of all projects `project_id` is a field, too.
public struct RowIndex: Sendable, Equatable {
    /// The fields.
    public let fields: [String]

    /// Makes an index of these fields.
    public init(_ fields: String...) { self.fields = fields }
}

extension Replica {
    /// The rows of a collection that meet all conditions, in an order: as an app shows them, with the edits made here
    /// and without rows that were deleted here. Each is an object, as in `rows(of:)`.
    ///
    /// `order` names fields, each with a leading `-` for descending. As in the server's lists, null comes before every
    /// value, texts are ordered by their bytes, and rows that are equal in all fields by id. With an index whose fields
    /// begin with those of the conditions and go on with those of the order (`init(path:scope:schema:indexes:)`), only
    /// the rows that are returned are read; without one, all rows of the collection.
    ///
    /// Throws `ReplicaError.unknownCollection` and `unknownField`.
    public func rows(
        of collection: String, in project: String? = nil, where conditions: [String: RowCondition],
        order: [String] = [], limit: Int? = nil
    ) throws -> [JSON] {
        guard let schema = try schema()?[collection] else { throw ReplicaError.unknownCollection(collection) }
        let query = try RowQuery(schema, project: project, conditions: conditions, order: order, limit: limit)
        return try read { db in
            try Row.fetchAll(db, sql: query.sql, arguments: query.arguments).map {
                try StoredRow($0, schema: schema).json
            }
        }
    }
}

/// A query as SQL.
struct RowQuery {
    let sql: String
    let arguments: StatementArguments

    init(
        _ collection: CollectionSchema, project: String?, conditions: [String: RowCondition], order: [String],
        limit: Int?
    ) throws {
        var conditions = conditions
        if let project, collection.projectPlace != nil { conditions[ProjectColumn.name] = .equals(.string(project)) }
        var (terms, values) = (["_status <> 'deleted'"], [DatabaseValue]())
        for (name, condition) in conditions.sorted(by: { $0.key < $1.key }) {
            for (comparison, value) in condition.comparisons {
                terms.append("\(try Self.column(name, of: collection)) \(comparison) ?")
                values.append(value)
            }
        }
        let keys = try order.map { try Self.key($0, of: collection) } + ["id"]
        sql = """
            SELECT * FROM \(SQLName.quoted(collection.name)) WHERE \(terms.joined(separator: " AND "))
            ORDER BY \(keys.joined(separator: ", "))\(limit.map { " LIMIT \(max(0, $0))" } ?? "")
            """
        arguments = StatementArguments(values)
    }

    /// A field with its direction.
    static func key(_ name: String, of collection: CollectionSchema) throws -> String {
        guard name.hasPrefix("-") else { return try column(name, of: collection) }
        return try column(String(name.dropFirst()), of: collection) + " DESC"
    }

    private static func column(_ name: String, of collection: CollectionSchema) throws -> String {
        guard name == "id" || collection[name] != nil else {
            throw ReplicaError.unknownField(name, collection: collection.name)
        }
        return SQLName.quoted(name)
    }
}

extension RowCondition {
    /// SQL's operators with their right sides.
    fileprivate var comparisons: [(String, DatabaseValue)] {
        switch self {
        case .equals(let value): [("IS", SQLValue.encode(value))]
        case .range(let from, let below):
            [from.map { (">=", SQLValue.encode($0)) }, below.map { ("<", SQLValue.encode($0)) }].compactMap { $0 }
                + (from == nil ? [("IS NOT", DatabaseValue.null)] : [])
        case .prefix(let text):
            [(">=", text.databaseValue)] + (text.next.map { [("<", $0.databaseValue)] } ?? [])
        }
    }
}

extension String {
    /// The first text, by its bytes, that does not begin with this one and comes after those that do; nil if there is
    /// none.
    fileprivate var next: String? {
        var scalars = unicodeScalars
        while let last = scalars.popLast() {
            let following = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(following) else { continue }
            scalars.append(scalar)
            return String(scalars)
        }
        return nil
    }
}

extension RowIndex {
    /// Makes the index if it is missing. One of a collection or a field that the replica does not have yet is made when
    /// the schema has it.
    func make(on collection: String, of schema: ServerSchema, _ db: Database) throws {
        guard let collection = schema[collection] else { return }
        guard let keys = try? fields.map({ try RowQuery.key($0, of: collection) }) else { return }
        let name = SQLName.quoted("_app_\(collection.name)_\(fields.joined(separator: "_"))")
        try db.execute(
            sql: """
                CREATE INDEX IF NOT EXISTS \(name)
                ON \(SQLName.quoted(collection.name)) (\((keys + ["id"]).joined(separator: ", ")))
                """)
    }
}
