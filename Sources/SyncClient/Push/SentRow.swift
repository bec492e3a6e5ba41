import SyncProtocol

/// A row as a batch contains it.
struct SentRow: Sendable, Equatable {
    let collection: String
    let id: String
    let bucket: Bucket
    /// The columns that `_changed` named.
    let changed: Set<String>
    /// The values that were sent. For a new row these are all columns that a client may write;
    /// for an edit only the changed ones.
    let values: [String: JSON]

    /// Identifies a row within a batch.
    struct Key: Sendable, Hashable {
        let collection: String
        let id: String
    }

    var key: Key { Key(collection: collection, id: id) }
}

extension SentRow {
    /// The form in which an unsent row is sent.
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
                && (bucket == .created || row.changed.contains(column.name) || column.name == ProjectColumn.name)
        }
        return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, row.values[$0.name] ?? .null) })
    }

    /// The row's element in its bucket. `_changed` limits an edit to the columns that were edited, so other
    /// people's edits of the same row survive. If the server already has a new row, `_changed` limits the
    /// change to what was edited since.
    var json: JSON {
        guard bucket != .deleted else { return .string(id) }
        let own: [String: JSON] = ["id": .string(id), "_changed": .string(changed.columnList)]
        return .object(values.merging(own) { $1 })
    }
}
