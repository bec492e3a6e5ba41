import SyncProtocol
package import SyncSchema
package import SyncStore

/// Reads whole tables of a database, in one state.
package protocol CopyReader {
    var registry: Registry { get }
    var dialect: any SQLDialect { get }
    /// The columns of a table, without those that only this engine has. Empty if there is no such table.
    func columns(of table: String) throws -> [CopyTable.Column]
    /// The value of a setting in `tidemark_settings`.
    func setting(_ name: String) throws -> String?
    func count(_ table: CopyTable) throws -> Int
    /// Calls `read` with the values of each row, in the order of the table's columns. Texts are valid during the call.
    func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws
    /// The greatest key that the table has ever assigned.
    func lastKey(of table: String) throws -> Int64
}

extension CopyReader {
    /// All tables that a copy carries: those of every database, of the collections, and of removed collections.
    package func tables() throws -> [CopyTable] {
        let removed = try RemovedSchemas(setting(RemovedSchemas.setting))
        var tables = try SystemTables(dialect).names.map {
            CopyTable(name: $0, kind: .system, columns: try columns(of: $0))
        }
        for collection in registry.collections {
            let fields = removed.fields[collection.name] ?? [:]
            tables.append(
                CopyTable(
                    name: collection.name, kind: .collection,
                    columns: try columns(of: collection.name).map { removed.typed($0, in: fields) }))
        }
        for (name, properties) in removed.collections.sorted(by: { $0.key < $1.key }) {
            let fields = properties.merging(removed.fields[name] ?? [:]) { $1 }
            tables.append(
                CopyTable(
                    name: name, kind: .removed, columns: try columns(of: name).map { removed.typed($0, in: fields) }))
        }
        return tables
    }
}

/// The schemas of removed fields and collections that the database records. They tell booleans from integers, which
/// SQLite's columns don't.
private struct RemovedSchemas {
    static let setting = "removed"

    /// By collection and field.
    let fields: [String: [String: JSON]]
    /// The fields of removed collections.
    let collections: [String: [String: JSON]]

    init(_ text: String?) throws {
        let json = try text.map(JSON.init(parsing:)) ?? [:]
        fields = json["fields"]?.object?.mapValues { $0.object ?? [:] } ?? [:]
        collections = json["collections"]?.object?.mapValues { $0["properties"]?.object ?? [:] } ?? [:]
    }

    func typed(_ column: CopyTable.Column, in fields: [String: JSON]) -> CopyTable.Column {
        let flags = [SystemColumn.isDeleted.name, SystemColumn.isGated.name]
        guard column.type == .integer, flags.contains(column.name) || isBoolean(fields[column.name]) else {
            return column
        }
        return CopyTable.Column(column.name, .boolean)
    }

    private func isBoolean(_ schema: JSON?) -> Bool {
        let type = schema?["type"]
        return type?.string == "boolean" || type?.array?.contains { $0.string == "boolean" } == true
    }
}

/// Fills an empty database, in one transaction. What it reads is what it has written so far.
package protocol CopyWriter: CopyReader {
    associatedtype Reader: CopyReader
    /// Reads what was written, in the same transaction.
    var reader: Reader { get }
    /// Makes the tables, without what would slow down the writing of rows.
    func makeTables(_ tables: [CopyTable]) throws
    /// Calls `rows` with a closure that adds a row with the values of all columns. Throws a `StoreError` for a value
    /// that the engine can't store.
    func fill(_ table: CopyTable, _ rows: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Void) throws
    /// Makes the indexes, references and what only this engine has. Throws a `StoreError` if the rows break a key or
    /// refer to nothing.
    func complete(_ tables: [CopyTable]) throws
    /// Sees to it that the table assigns only greater keys.
    func setLastKey(_ key: Int64, of table: String) throws
    func set(_ setting: String, to value: String) throws
    /// Adds an entry to the audit list.
    func audit(_ entry: AuditEntry) throws
    /// Raises all numbers, so that clients of the source start again from 0.
    func jump() throws -> RestoreJump
}

extension CopyWriter {
    package var registry: Registry { reader.registry }
    package var dialect: any SQLDialect { reader.dialect }

    package func columns(of table: String) throws -> [CopyTable.Column] { try reader.columns(of: table) }

    package func setting(_ name: String) throws -> String? { try reader.setting(name) }

    package func count(_ table: CopyTable) throws -> Int { try reader.count(table) }

    package func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        try reader.each(table, read)
    }

    package func lastKey(of table: String) throws -> Int64 { try reader.lastKey(of: table) }
}

extension Cell {
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    var string: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// As an error names it; nil for null.
    var description: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .text: string
        }
    }

    /// Whether it is a text that PostgreSQL refuses: with a NUL, or not in UTF-8.
    var isUnstorable: Bool {
        guard case .text(let bytes) = self else { return false }
        return Cell.hasOddBytes(bytes) && (bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil)
    }

    /// Whether a byte is a NUL or not ASCII. Eight bytes at a time, because this looks at every text of a copy.
    private static func hasOddBytes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let bytes = UnsafeRawBufferPointer(text)
        var place = 0
        while place + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // The subtraction borrows into the top bit of a byte that is 0.
            if (word | (word &- ones)) & tops != 0 { return true }
            place += 8
        }
        return text[place...].contains { $0 == 0 || $0 >= 0x80 }
    }
}
