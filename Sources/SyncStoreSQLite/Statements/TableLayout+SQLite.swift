import SyncSchema
import SyncStoreSQL

extension TableLayout {
    /// The table in SQLite's dialect.
    convenience init(_ collection: Collection, _ registry: Registry) {
        self.init(collection, registry, SQLiteDialect())
    }

    /// The value that the column `row_checksum` must have, as an SQL expression.
    var rowChecksum: String { RowChecksum.expression(of: columns) }
}
