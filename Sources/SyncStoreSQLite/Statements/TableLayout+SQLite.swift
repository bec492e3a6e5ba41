import SyncSchema
import SyncStoreSQL

extension TableLayout {
<<<<<<< HEAD
    /// The table as SQLite has it.
    convenience init(_ collection: Collection, _ registry: Registry) {
=======
    /// The table in SQLite's dialect.
    init(_ collection: Collection, _ registry: Registry) {
>>>>>>> 6739617c1a92987538bd8b1b8245367c1eae4568
        self.init(collection, registry, SQLiteDialect())
    }

    /// The value that the column `row_checksum` must have, as an SQL expression.
    var rowChecksum: String { RowChecksum.expression(of: columns) }
}
