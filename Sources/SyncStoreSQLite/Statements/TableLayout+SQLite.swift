import SyncSchema
import SyncStoreSQL

extension TableLayout {
    /// The table as SQLite has it.
    convenience init(_ collection: Collection, _ registry: Registry) {
        self.init(collection, registry, SQLiteDialect())
    }

    /// What the column `row_checksum` must hold, as an SQL expression.
    var rowChecksum: String { RowChecksum.expression(of: columns) }
}
