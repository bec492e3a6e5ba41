package import SyncProtocol
package import SyncSchema
package import SyncStore

extension StoredRow {
    /// The values of all columns: `SystemColumn`, then the fields.
    package var columns: [JSON] { SystemColumn.allCases.map(value) + values }

    /// The id, then the values of `SystemColumn.stamps`.
    package var stamps: [JSON] { [value(of: .id)] + SystemColumn.stamps.map(value) }

    private func value(of column: SystemColumn) -> JSON {
        switch column {
        case .id: .string(id)
        case .version: .int(version.rawValue)
        case .isDeleted: .bool(isDeleted)
        case .seq: .int(seq.rawValue)
        case .createdSeq: .int(createdSeq.rawValue)
        case .isGated: .bool(isGated)
        case .gateSeq: .int(gateSeq.rawValue)
        case .project: .string(project)
        case .contentSeq: .int(contentSeq.rawValue)
        case .insertedBy: insertedBy.map(JSON.int) ?? .null
        case .insertedAt: insertedAt.map { .int($0.milliseconds) } ?? .null
        case .gateChanges: gateChangesText
        }
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
