import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema

extension StoredRow {
    /// The values of all columns, in the order of `TableLayout`.
    var columns: [JSON] {
        [
            .string(id), .int(version.rawValue), .bool(isDeleted), .int(seq.rawValue), .int(createdSeq.rawValue),
            .bool(isGated), .int(gateSeq.rawValue), .string(project), .int(contentSeq.rawValue),
        ] + values
    }

    /// The id, and the values of `TableLayout.stampColumns`.
    var stamps: [JSON] {
        [
            .string(id), .int(version.rawValue), .bool(isDeleted), .int(seq.rawValue), .bool(isGated),
            .int(gateSeq.rawValue), .int(contentSeq.rawValue),
        ]
    }

    /// A row selected with all columns.
    init(row: Row, of collection: Collection) {
        let system = TableLayout.systemColumns.count
        self.init(
            id: row[0], project: row[7],
            values: collection.fields.enumerated().map { JSON(row[system + $0] as DatabaseValue, $1.value) },
            version: ServerVersion(row[1]), seq: SyncSeq(row[3]), contentSeq: SyncSeq(row[8]),
            createdSeq: SyncSeq(row[4]), isDeleted: row[2], isGated: row[5], gateSeq: SyncSeq(row[6]))
    }
}

extension JSON {
    /// As stored: booleans 0 and 1, lists and objects as JSON text.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .bool(let value): value.databaseValue
        case .int(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .string(let value): value.databaseValue
        case .array, .object: text.databaseValue
        }
    }

    init(_ value: DatabaseValue, _ schema: ValueSchema) {
        switch (value.storage, schema.kind) {
        case (.null, _), (.blob, _): self = .null
        case (.int64(let number), .boolean): self = .bool(number != 0)
        case (.int64(let number), _): self = .int(number)
        case (.double(let number), _): self = JSON(number)
        case (.string(let text), .array), (.string(let text), .object): self = (try? JSON(parsing: text)) ?? .null
        case (.string(let text), _): self = .string(text)
        }
    }
}
