package import SyncSchema
import SyncStore

/// The table of a collection, with the encoders that write its rows into pages. Made once.
package final class CollectionTable: Sendable {
    package let layout: TableLayout
    private let json: RowEncoder
    private let watermelonDB: RowEncoder

    package init(_ collection: Collection, _ registry: Registry, _ dialect: any SQLDialect) {
        layout = TableLayout(collection, registry, dialect)
        json = RowEncoder(collection, .json)
        watermelonDB = RowEncoder(collection, .watermelondb)
    }

    package func encoder(_ encoding: WireEncoding) -> RowEncoder {
        switch encoding {
        case .json: json
        case .watermelondb: watermelonDB
        }
    }
}
