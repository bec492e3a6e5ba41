import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore

extension StoredRow {
    /// The values of all columns, in the order of `TableLayout`.
    var columns: [JSON] {
        [
            .string(id), .int(version.rawValue), .bool(isDeleted), .int(seq.rawValue), .int(createdSeq.rawValue),
            .bool(isGated), .int(gateSeq.rawValue), .string(project), .int(contentSeq.rawValue),
            insertedBy.map(JSON.int) ?? .null, insertedAt.map { .int($0.milliseconds) } ?? .null,
            gateChangesText,
        ] + values
    }

    /// The id, and the values of `TableLayout.stampColumns`.
    var stamps: [JSON] {
        [
            .string(id), .int(version.rawValue), .bool(isDeleted), .int(seq.rawValue), .bool(isGated),
            .int(gateSeq.rawValue), .int(contentSeq.rawValue), gateChangesText,
        ]
    }

    private var gateChangesText: JSON {
        gateChanges.isEmpty ? .null : .string(gateChanges.map(\.description).joined(separator: " "))
    }

    /// The row that a statement of all columns stands on.
    init(_ row: RawRows, of collection: Collection) {
        var values: [JSON] = []
        values.reserveCapacity(collection.fields.count)
        for (place, field) in zip(Int32(TableLayout.systemColumns.count)..., collection.fields) {
            values.append(row.value(place, field.value))
        }
        self.init(
            id: row.string(0), project: row.string(7), values: values, version: ServerVersion(row.integer(1)),
            seq: SyncSeq(row.integer(3)), contentSeq: SyncSeq(row.integer(8)), createdSeq: SyncSeq(row.integer(4)),
            insertedBy: row.insertedBy, insertedAt: row.insertedAt, isDeleted: row.integer(2) != 0,
            isGated: row.integer(5) != 0,
            gateSeq: SyncSeq(row.integer(6)), gateChanges: row.gateChanges)
    }
}

extension RawRows {
    func string(_ column: Int32) -> String { String(decoding: text(column), as: UTF8.self) }

    func optionalString(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }

    /// As `bind` stored it: booleans are 0 and 1, lists and objects JSON text.
    func value(_ column: Int32, _ schema: ValueSchema) -> JSON {
        switch (sqlite3_column_type(statement, column), schema.kind) {
        case (SQLITE_INTEGER, .boolean): .bool(integer(column) != 0)
        case (SQLITE_INTEGER, _): .int(integer(column))
        case (SQLITE_FLOAT, _): JSON(double(column))
        case (SQLITE_TEXT, .array), (SQLITE_TEXT, .object): (try? JSON(parsing: text(column))) ?? .null
        case (SQLITE_TEXT, _): .string(string(column))
        default: .null
        }
    }
}
