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

/// Which rows of a collection, in which order: as an app shows them, with the edits made here and without rows that were
/// deleted here.
public struct RowQuery: Sendable, Equatable {
    /// The collection's name.
    public var collection: String
    /// Only rows of this project; nil for all.
    public var project: String?
    /// What fields must be, by name. Rows that meet all of them are found.
    public var conditions: [String: RowCondition]
    /// Fields, each with a leading `-` for descending. As in the server's lists, null comes before every value, texts are
    /// ordered by their bytes, and rows that are equal in all fields by id.
    public var order: [String]
    /// The most rows; nil for all.
    public var limit: Int?

    /// Makes a query.
    public init(
        _ collection: String, in project: String? = nil, where conditions: [String: RowCondition] = [:],
        order: [String] = [], limit: Int? = nil
    ) {
        self.collection = collection
        self.project = project
        self.conditions = conditions
        self.order = order
        self.limit = limit
    }
}

extension Replica {
    /// The rows that a query finds. Each is an object, as in `rows(of:)`.
    ///
    /// With an index whose fields begin with those of the conditions and go on with those of the order
    /// (`init(path:scope:schema:indexes:)`), only the rows that are returned are read; without one, all rows of the
    /// collection. Throws `ReplicaError.unknownCollection` and `unknownField`.
    public func rows(_ query: RowQuery) throws -> [JSON] {
        guard let schema = try schema()?[query.collection] else {
            throw ReplicaError.unknownCollection(query.collection)
        }
        let statement = try QueryStatement(query, of: schema)
        return try read { db in
            try Row.fetchAll(db, sql: statement.sql, arguments: statement.arguments)
                .map { try StoredRow($0, schema: schema).json }
        }
    }

    /// The rows that a query finds, now and after each change of them, by edits here, by a sync, or by another process.
    /// Each element is of a settled state, with the edits made here on top, or of a replica that was never pulled; with
    /// `unsettled`, rows that come before the first settled state are shown, too. A slow reader gets the newest state
    /// and misses those before it.
    ///
    /// Looks for changes at intervals of `look`; a look costs microseconds. Ends when the task is cancelled, or with
    /// the errors of `rows(_:)`.
    public func observe(
        _ query: RowQuery, unsettled: Bool = false, look: Duration = .milliseconds(100)
    ) -> AsyncThrowingStream<[JSON], any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            let task = Task {
                do {
                    try await watch(query, unsettled: unsettled, look: look) { stream.yield($0) }
                } catch {
                    stream.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }

    private func watch(
        _ query: RowQuery, unsettled: Bool, look: Duration, _ show: ([JSON]) -> Void
    ) async throws {
        let ear = try ReplicaEar(path: path)
        var last: [JSON]?
        while true {
            if try ear.hasHeard(), try unsettled || state().showsWhatWas {
                let rows = try rows(query)
                if rows != last { show(rows) }
                last = rows
            }
            try await Task.sleep(for: look)
        }
    }
}

extension ReplicaState {
    /// Whether the rows are those of a settled state, or nothing was ever pulled.
    fileprivate var showsWhatWas: Bool { settled != nil || since == .zero && drain == nil }
}

/// A query as SQL.
struct QueryStatement {
    let sql: String
    let arguments: StatementArguments

    init(_ query: RowQuery, of collection: CollectionSchema) throws {
        var conditions = query.conditions
        if let project = query.project, collection.projectPlace != nil {
            conditions[ProjectColumn.name] = .equals(.string(project))
        }
        var terms = ["_status <> 'deleted'"]
        var values: [DatabaseValue] = []
        for (name, condition) in conditions.sorted(by: { $0.key < $1.key }) {
            for (comparison, value) in condition.comparisons {
                terms.append("\(try Self.column(name, of: collection)) \(comparison) ?")
                values.append(value)
            }
        }
        let keys = try query.order.map { try Self.key($0, of: collection) } + ["id"]
        sql = """
            SELECT * FROM \(SQLName.quoted(collection.name)) WHERE \(terms.joined(separator: " AND "))
            ORDER BY \(keys.joined(separator: ", "))\(query.limit.map { " LIMIT \(max(0, $0))" } ?? "")
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
        guard let keys = try? fields.map({ try QueryStatement.key($0, of: collection) }) else { return }
        let name = SQLName.quoted("_app_\(collection.name)_\(fields.joined(separator: "_"))")
        try db.execute(
            sql: """
                CREATE INDEX IF NOT EXISTS \(name)
                ON \(SQLName.quoted(collection.name)) (\((keys + ["id"]).joined(separator: ", ")))
                """)
    }
}
