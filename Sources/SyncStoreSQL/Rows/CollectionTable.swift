import SyncSchema
import SyncStore
import SyncStoreSQL

/// The table of a collection, with the encoders that write its rows into pages. Made once.
struct SQLiteTable: Sendable {
    let layout: TableLayout
    private let json: RowEncoder
    private let watermelonDB: RowEncoder

    init(_ collection: Collection, _ registry: Registry) {
        layout = TableLayout(collection, registry)
        json = RowEncoder(collection, .json)
        watermelonDB = RowEncoder(collection, .watermelondb)
    }

    func encoder(_ encoding: WireEncoding) -> RowEncoder {
        switch encoding {
        case .json: json
        case .watermelondb: watermelonDB
        }
    }
}

extension [String: SQLiteTable] {
    /// The tables of all collections, by name.
    init(_ registry: Registry) {
        self.init(uniqueKeysWithValues: registry.collections.map { ($0.name, SQLiteTable($0, registry)) })
    }
}
