import GRDBSQLite
import SyncEngine
import SyncProtocol
import SyncSchema

/// Writes the rows of one collection as JSON in one encoding, straight from the columns.
struct RowEncoder: Sendable {
    fileprivate enum Form: Sendable { case text, integer, number, boolean, json, jsonText, instant }

    private struct Column: Sendable {
        let index: Int32
        let form: Form
        /// `,"name":`
        let key: [UInt8]
    }

    private let columns: [Column]
    /// The most bytes of a row without its texts.
    private let fixedBytes: Int

    init(_ collection: Collection, _ encoding: WireEncoding) {
        columns = collection.fields.enumerated().map { position, field in
            Column(
                index: Int32(TableLayout.systemColumns.count + position), form: Form(field, encoding),
                key: Array(",\"\(field.name)\":".utf8))
        }
        fixedBytes = columns.reduce(128) { $0 + $1.key.count + RawJSON.maximumNumberBytes }
    }

    func write(_ row: RawRows, to page: inout PageWriter, isCreated: Bool) {
        page.row(isCreated: isCreated, maximumBytes: maximumBytes(row)) { json in
            json.raw("{\"id\":")
            json.string(row.text(0))
            json.raw(",\"server_version\":")
            json.integer(row.integer(1))
            for column in columns {
                column.key.withUnsafeBufferPointer { json.raw($0) }
                write(column, row, &json)
            }
            json.raw("}")
        }
    }

    private func maximumBytes(_ row: RawRows) -> Int {
        var bytes = fixedBytes + RawJSON.maximumStringBytes(row.text(0).count)
        for column in columns where column.form.isText {
            bytes += RawJSON.maximumStringBytes(row.text(column.index).count)
        }
        return bytes
    }

    @inline(__always)
    private func write(_ column: Column, _ row: RawRows, _ json: inout RawJSON) {
        if row.isNull(column.index) { return json.raw("null") }
        switch column.form {
        case .text: json.string(row.text(column.index))
        case .integer: json.integer(row.integer(column.index))
        case .number: json.double(row.double(column.index))
        case .boolean: json.raw(row.integer(column.index) == 0 ? "false" : "true")
        case .json: json.raw(row.text(column.index))
        case .jsonText: json.string(row.text(column.index))
        case .instant:
            guard let instant = SyncProtocol.Timestamp(normal: row.text(column.index)) else { return json.raw("null") }
            json.integer(instant.milliseconds)
        }
    }
}

extension RowEncoder.Form {
    /// Whether it takes as many bytes as the column's text demands.
    fileprivate var isText: Bool {
        switch self {
        case .text, .json, .jsonText: true
        case .integer, .number, .boolean, .instant: false
        }
    }

    fileprivate init(_ field: Field, _ encoding: WireEncoding) {
        self =
            switch encoding.form(of: field) {
            case .text: .jsonText
            case .instant: .instant
            case .plain, .flag: RowEncoder.Form(plain: field.value.kind)
            }
    }

    private init(plain kind: ValueSchema.Kind) {
        self =
            switch kind {
            case .string: .text
            case .integer: .integer
            case .number: .number
            case .boolean: .boolean
            case .array, .object: .json
            }
    }
}
