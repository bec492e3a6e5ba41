import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Writes the rows of one collection as JSON in one encoding. Each row names its project.
///
/// A row has dozens of columns, so every call counts. The engine reads each column once, in its own module, and texts
/// are written from where they lie in its memory. Nothing here is generic over rows, because generic code is not
/// specialized across modules.
package struct RowEncoder: Sendable {
    /// How a column is stored.
    package enum Storage: Sendable { case text, integer, double }

    /// A column to read into a cell.
    package struct Column: Sendable {
        /// The column's place in a statement that selects all columns.
        package let index: Int32
        package let storage: Storage
        /// Whether it can be null. A text can always be null, as in a damaged file.
        package let isNullable: Bool
        fileprivate let form: Form
        /// The range of its `,"name":` in `keys`.
        fileprivate let key: Range<Int>
    }

    fileprivate enum Form: Sendable { case text, integer, number, boolean, json, jsonText, instant }

    /// The columns of the fields.
    package let columns: [Column]
    private let keys: [UInt8]
    /// The most bytes of a row without its texts.
    private let fixedBytes: Int

    package init(_ collection: Collection, _ encoding: WireEncoding) {
        var keys: [UInt8] = []
        columns = collection.fields.enumerated().map { position, field in
            let start = keys.count
            keys += ",\"\(field.name)\":".utf8
            let form = Form(field, encoding)
            return Column(
                index: SystemColumn.count + Int32(position), storage: form.storage,
                isNullable: field.value.isNullable, form: form, key: start..<keys.count)
        }
        self.keys = keys
        fixedBytes = 128 + keys.count + columns.count * RawJSON.maximumNumberBytes
    }

    /// What stands between the id and the version of a project's rows. Ids need no escapes.
    package static func middle(of project: String) -> [UInt8] {
        Array(",\"project_id\":\"\(project)\",\"server_version\":".utf8)
    }

    /// Writes a row. `cells` has one cell for each of `columns`, in their order.
    package func write(
        _ id: UnsafeBufferPointer<UInt8>, version: Int64, cells: UnsafeBufferPointer<Cell>, middle: [UInt8],
        to page: inout PageWriter, isCreated: Bool
    ) {
        var maximumBytes = fixedBytes + middle.count + RawJSON.maximumStringBytes(id.count)
        for cell in cells {
            if case .text(let text) = cell { maximumBytes += RawJSON.maximumStringBytes(text.count) }
        }
        page.row(isCreated: isCreated, maximumBytes: maximumBytes) {
            write(id, version: version, cells: cells, middle: middle, to: &$0)
        }
    }

    private func write(
        _ id: UnsafeBufferPointer<UInt8>, version: Int64, cells: UnsafeBufferPointer<Cell>, middle: [UInt8],
        to json: inout RawJSON
    ) {
        json.raw("{\"id\":")
        json.string(id)
        middle.withUnsafeBufferPointer { json.raw($0) }
        json.integer(version)
        keys.withUnsafeBufferPointer { keys in
            for (place, column) in columns.enumerated() {
                json.raw(UnsafeBufferPointer(rebasing: keys[column.key]))
                write(cells[place], as: column.form, &json)
            }
        }
        json.raw("}")
    }

    @inline(__always)
    private func write(_ cell: Cell, as form: Form, _ json: inout RawJSON) {
        switch cell {
        case .null: json.raw("null")
        case .text(let text): write(text, as: form, &json)
        case .double(let number): json.double(number)
        case .integer(let number):
            if form == .boolean { json.raw(number == 0 ? "false" : "true") } else { json.integer(number) }
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
    fileprivate var storage: RowEncoder.Storage {
        switch self {
        case .text, .json, .jsonText, .instant: .text
        case .integer, .boolean: .integer
        case .number: .double
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

/// A value of a row, as its engine has read it. Bytes are valid until the engine's next step.
package enum Cell {
    case null
    case integer(Int64)
    case double(Double)
    case text(UnsafeBufferPointer<UInt8>)
}

/// The table of a collection, with the encoders that write its rows into pages. Made once.
package final class CollectionTable: Sendable {
    package let layout: TableLayout
    private let json: RowEncoder
    private let watermelonDB: RowEncoder

    package init(_ collection: Collection, registry: Registry, dialect: any SQLDialect) {
        layout = TableLayout(collection, registry: registry, dialect: dialect)
        json = RowEncoder(collection, .json)
        watermelonDB = RowEncoder(collection, .watermelondb)
    }

    package func encoder(_ encoding: WireEncoding) -> RowEncoder {
        switch encoding {
        case .json: json
        case .watermelondb: watermelonDB
        }
    }
}

/// The tables of all collections.
package final class CollectionTables: Sendable {
    package let registry: Registry
    private let tables: [String: CollectionTable]

    package init(_ registry: Registry, _ dialect: any SQLDialect) {
        self.registry = registry
        tables = Dictionary(
            uniqueKeysWithValues: registry.collections.map {
                ($0.name, CollectionTable($0, registry: registry, dialect: dialect))
            })
    }

    package subscript(collection: Collection) -> CollectionTable { tables[collection.name]! }
}
