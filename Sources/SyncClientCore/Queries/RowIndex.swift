import GRDB

/// A path to rows that a query can take without reading all: fields in this order, each with a leading `-` if it is
/// descending. In a replica of all projects `project_id` is a field, too.
public struct RowIndex: Sendable, Equatable {
    /// The fields.
    public let fields: [String]

    /// Makes an index of these fields.
    public init(_ fields: String...) { self.fields = fields }
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
