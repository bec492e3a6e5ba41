package import SyncProtocol
package import SyncSchema
package import SyncStore

extension StoredRow {
    /// The values of all columns: `SystemColumn`, then the fields.
    package var columns: [JSON] {
        [
            .string(id), .int(version.rawValue), .bool(isDeleted), .int(seq.rawValue), .int(createdSeq.rawValue),
            .bool(isGated), .int(gateSeq.rawValue), .string(project), .int(contentSeq.rawValue),
            insertedBy.map(JSON.int) ?? .null, insertedAt.map { .int($0.milliseconds) } ?? .null,
            gateChangesText,
        ] + values
    }

    /// The id, then the values of `SystemColumn.stamps`.
    package var stamps: [JSON] {
        [
            .string(id), .int(version.rawValue), .bool(isDeleted), .int(seq.rawValue), .bool(isGated),
            .int(gateSeq.rawValue), .int(contentSeq.rawValue), gateChangesText,
        ]
    }

    private var gateChangesText: JSON {
        gateChanges.isEmpty ? .null : .string(gateChanges.map(\.description).joined(separator: " "))
    }

    /// Reads the current row of a statement that selects all columns.
    package init(_ row: some SQLRow, of collection: Collection) {
        var values: [JSON] = []
        values.reserveCapacity(collection.fields.count)
        for (place, field) in zip(SystemColumn.count..., collection.fields) {
            values.append(row.value(place, field.value))
        }
        self.init(
            id: row.string(.id), project: row.string(.project), values: values,
            version: ServerVersion(row.integer(.version)), seq: row.seq(.seq), contentSeq: row.seq(.contentSeq),
            createdSeq: row.seq(.createdSeq), insertedBy: row.insertedBy, insertedAt: row.insertedAt,
            isDeleted: row.integer(.isDeleted) != 0, isGated: row.integer(.isGated) != 0,
            gateSeq: row.seq(.gateSeq), gateChanges: row.gateChanges)
    }
}
