package import SyncSchema
import SyncStoreSQL

/// The tables and indexes that a new database gets for the collections of a registry, as SQL.
package struct SchemaSQL: Sendable {
    /// In drain order: each table with its indexes.
    package let statements: [String]
    private let version: String

    /// Throws a `SchemaError` where two tables or indexes would have one name.
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
        -- Made by `tidemark schema --format sql` of schema \(version). To read the database by: the server makes these
        -- tables itself, and those of its own, which begin with tidemark_.

        \(statements.joined(separator: ";\n\n"));

        """
    }
}
