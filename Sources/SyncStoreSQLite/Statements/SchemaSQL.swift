package import SyncSchema
import SyncStoreSQL

/// The tables and indexes that a new database gets for the collections of a registry, as SQL.
package struct SchemaSQL: Sendable {
    /// Each table with its indexes, in drain order.
    package let statements: [String]
    private let version: String

    /// Throws a `SchemaError` if two tables or indexes would have the same name.
    package init(_ registry: Registry) throws(SchemaError) {
        try TableNames.check(registry, SQLiteDialect())
        version = registry.version
        statements = registry.collections.flatMap { collection in
            let layout = TableLayout(collection, registry)
            return [layout.createTable] + layout.indexes.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    package var text: String {
        """
        -- Made by `tidemark schema --format sql` from schema \(version), for those who read the database. The server
        -- makes these tables itself, and tables of its own, whose names begin with tidemark_.

        \(statements.joined(separator: ";\n\n"));

        """
    }
}
