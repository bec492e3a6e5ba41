import GRDB
import SyncProtocol

/// Removes a new row that never left the device, and does to the unsent rows that refer to it what the server does in a
/// deletion. The server never hears of the row, so it would refuse them.
struct LocalDeletion {
    let db: Database
    let schema: ServerSchema

    func run(_ id: String, of table: RowTable) throws {
        var pending = [SentRow.Key(collection: table.collection.name, id: id)]
        while let next = pending.popLast() { pending += try remove(next) }
    }

    /// Removes the row. Returns the rows to remove with it.
    private func remove(_ key: SentRow.Key) throws -> [SentRow.Key] {
        guard let collection = schema[key.collection] else { return [] }
        try RowTable(db, collection).remove(key.id)
        return try schema.collections.flatMap { try release(key, by: RowTable(db, $0)) }
    }

    /// Takes the reference out of the table's rows. Returns the rows that can't be without it.
    private func release(_ key: SentRow.Key, by table: RowTable) throws -> [SentRow.Key] {
        let columns = table.collection.columns.filter { $0.reference == key.collection }
        return try columns.flatMap { column in
            try table.unsent(referringTo: key.id, in: column).compactMap { row in
                if column.onDelete == .cascade, try table.neverLeft(row) {
                    return SentRow.Key(collection: table.collection.name, id: row.id)
                }
                try table.save(row.without(key.id, in: column))
                return nil
            }
        }
    }
}

extension RowTable {
    /// Whether only this device knows the row.
    func neverLeft(_ row: LocalRow) throws -> Bool {
        try row.status == .created && row.version == ServerVersion(0) && !wasSent(row.id)
    }
}

extension LocalRow {
    /// The row without the reference. Where the reference can't be cleared, the column returns to the server's value.
    fileprivate func without(_ id: String, in column: ColumnSchema) -> LocalRow {
        var row = self
        switch (column.onDelete, values[column.name]) {
        case (.clear, .array(let ids)): row.values[column.name] = .array(ids.filter { $0.string != id })
        case (.clear, _) where column.isNullable: row.values[column.name] = .null
        default: row.takeBack([column.name])
        }
        if row.values[column.name] == base?.values[column.name] { row.changed.remove(column.name) }
        if row.status == .updated, row.changed.isEmpty { row.settle() }
        return row
    }
}
