import SyncProtocol

/// A row as a batch carries it.
struct SentRow: Sendable, Equatable {
    let collection: String
    let id: String
    let bucket: Bucket
    /// The columns that were named as changed.
    let changed: Set<String>
    /// The columns that were sent: of a new row all that a client may write, of an edit those that were changed.
    let values: [String: JSON]

    /// Tells a batch's rows apart.
    struct Key: Sendable, Hashable {
        let collection: String
        let id: String
    }

    var key: Key { Key(collection: collection, id: id) }
}

extension SentRow {
    /// What a dirty row is sent as.
    init(_ row: LocalRow, of collection: CollectionSchema) {
        let bucket: Bucket
        switch row.status {
        case .synced, .updated: bucket = .updated
        case .created: bucket = .created
        case .deleted: bucket = .deleted
        }
        let values = Self.values(of: row, bucket, collection)
        self.init(
            collection: collection.name, id: row.id, bucket: bucket, changed: row.changed.intersection(values.keys),
            values: values)
    }

    private static func values(
        of row: LocalRow, _ bucket: Bucket, _ collection: CollectionSchema
    ) -> [String: JSON] {
        guard bucket != .deleted else { return [:] }
        let columns = collection.columns.filter { column in
            let value = row.values[column.name] ?? .null
            return !column.isReadOnly && (column.isNullable || !value.isNull)
                && (bucket == .created || row.changed.contains(column.name))
        }
        return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, row.values[$0.name] ?? .null) })
    }

    /// The element of its bucket. `_changed` limits an edit to what was edited, so that others' edits of the same row
    /// stand; of a new row that the server has already, it says that nothing is to change but what was edited since.
    var json: JSON {
        guard bucket != .deleted else { return .string(id) }
        let own: [String: JSON] = ["id": .string(id), "_changed": .string(changed.columnList)]
        return .object(values.merging(own) { $1 })
    }
}
