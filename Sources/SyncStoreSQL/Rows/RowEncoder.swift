import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Writes the rows of one collection as JSON in one encoding, directly from the columns. Each row names its project.
///
/// A row has dozens of columns, so every call into SQLite counts. Each column is read once, and texts are read where
/// they lie in SQLite's page. Nothing in `Column` has to be retained.
struct RowEncoder: Sendable {
    fileprivate enum Form: Sendable { case text, integer, number, boolean, json, jsonText, instant }

    private struct Column: Sendable {
        let index: Int32
        let form: Form
        let isNullable: Bool
        /// The range of its `,"name":` in `keys`.
        let key: Range<Int>
    }

    private let columns: [Column]
    private let keys: [UInt8]
    /// The most bytes of a row without its texts.
    private let fixedBytes: Int

    init(_ collection: Collection, _ encoding: WireEncoding) {
        var keys: [UInt8] = []
        columns = collection.fields.enumerated().map { position, field in
            let start = keys.count
            keys += ",\"\(field.name)\":".utf8
            return Column(
                index: SystemColumn.count + Int32(position), form: Form(field, encoding),
                isNullable: field.value.isNullable, key: start..<keys.count)
        }
        self.keys = keys
        fixedBytes = 128 + keys.count + columns.count * RawJSON.maximumNumberBytes
    }

    /// What stands between the id and the version of a project's rows. Ids need no escapes.
    static func middle(of project: String) -> [UInt8] {
        Array(",\"project_id\":\"\(project)\",\"server_version\":".utf8)
    }

    func write(_ row: RawRows, _ middle: [UInt8], to page: inout PageWriter, isCreated: Bool) {
        withUnsafeTemporaryAllocation(of: UnsafeBufferPointer<UInt8>?.self, capacity: columns.count + 1) { texts in
            let maximumBytes = read(row, into: texts) + middle.count
            defer { texts.deinitialize() }
            page.row(isCreated: isCreated, maximumBytes: maximumBytes) { write(row, middle, texts, to: &$0) }
        }
    }

    /// Reads the texts of the row, the id first; nil for null. They lie in SQLite's memory until its next step. Returns
    /// the most bytes that the row takes as JSON.
    private func read(
        _ row: RawRows, into texts: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>?>
    ) -> Int {
        texts.initializeElement(at: 0, to: row.bytes(0))
        var bytes = fixedBytes + RawJSON.maximumStringBytes(texts[0]?.count ?? 0)
        for (place, column) in columns.enumerated() {
            let text = column.form.isText ? row.bytes(column.index) : nil
            texts.initializeElement(at: place + 1, to: text)
            if let text { bytes += RawJSON.maximumStringBytes(text.count) }
        }
        return bytes
    }

    private func write(
        _ row: RawRows, _ middle: [UInt8], _ texts: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>?>,
        to json: inout RawJSON
    ) {
        json.raw("{\"id\":")
        json.string(texts[0]!)
        middle.withUnsafeBufferPointer { json.raw($0) }
        json.integer(row.integer(.version))
        keys.withUnsafeBufferPointer { keys in
            for (place, column) in columns.enumerated() {
                json.raw(UnsafeBufferPointer(rebasing: keys[column.key]))
                write(column, texts[place + 1], row, &json)
            }
        }
        json.raw("}")
    }

    @inline(__always)
    private func write(
        _ column: Column, _ text: UnsafeBufferPointer<UInt8>?, _ row: RawRows, _ json: inout RawJSON
    ) {
        if column.form.isText {
            guard let text else { return json.raw("null") }
            return write(text, as: column.form, &json)
        }
        if column.isNullable, row.isNull(column.index) { return json.raw("null") }
        switch column.form {
        case .number: json.double(row.double(column.index))
        case .boolean: json.raw(row.integer(column.index) == 0 ? "false" : "true")
        default: json.integer(row.integer(column.index))
        }
    }

    @inline(__always)
    private func write(_ text: UnsafeBufferPointer<UInt8>, as form: Form, _ json: inout RawJSON) {
        switch form {
        case .json: json.raw(text)
        case .instant:
            guard let instant = SyncProtocol.Instant(normal: text) else { return json.raw("null") }
            json.integer(instant.milliseconds)
        default: json.string(text)
        }
    }
}

extension RowEncoder.Form {
    /// Whether the column is stored as a text.
    fileprivate var isText: Bool {
        switch self {
        case .text, .json, .jsonText, .instant: true
        case .integer, .number, .boolean: false
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
