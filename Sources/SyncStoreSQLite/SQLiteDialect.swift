import CZlib
import GRDB
import GRDBSQLite
package import SyncSchema
import SyncStoreSQL
package import SyncValues

/// SQLite's SQL.
struct SQLiteDialect: SQLDialect {
    static let statements = SQLStatements(SQLiteDialect())
    static let systemTables = SystemTables(SQLiteDialect())

    var integer: String { "INTEGER" }
    var real: String { "REAL" }
    var text: String { "TEXT" }
    var boolean: String { "INTEGER" }
    var assignedKey: String { "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT" }
    var tableOptions: String { "STRICT" }
    var keyedTableOptions: String { "STRICT, WITHOUT ROWID" }
    var longestName: Int? { nil }
    var longestKey: Int? { nil }

    func rowChecksum(of terms: [String]) -> String? { RowChecksum.expression(of: terms) }

    func bytes(of text: String) -> String { "length(CAST(\(text) AS BLOB))" }

    func isSame(_ one: String, _ other: String) -> String { "\(one) IS \(other)" }

    /// SQLite has no XOR operator: these are the bits that are in either term but not in both.
    func exclusiveOr(_ one: String, _ other: String) -> String { "(\(one) | \(other)) & ~(\(one) & \(other))" }

    func greatest(_ one: String, _ other: String) -> String { "max(\(one), \(other))" }

    func elements(of list: String) -> String { "json_each(\(list)) e" }

    func joined(_ text: String) -> String { "group_concat(\(text), ', ')" }

    func countOfElements(of list: String) -> String { "json_array_length(\(list))" }
}

/// The checksum that each row of a collection has: CRC-32 over the values of all its columns. Each statement that
/// writes a row also writes its checksum. So a row that the disk has changed can be told from one that was written.
///
/// It is an SQL function, so statements that change many rows at once keep it too. SQLite's own `integrity_check`
/// examines the structure of the file, and finds few of the bits that change inside a row.
struct RowChecksum {
    private static let function = "tidemark_checksum"
    /// Fewer than SQLite allows: https://sqlite.org/limits.html#max_function_arg
    private static let mostArguments = 100

    /// The SQL expression for the checksum of these values or columns, in this order.
    static func expression(of terms: [String]) -> String {
        guard terms.count > mostArguments else { return "\(function)(\(terms.joined(separator: ", ")))" }
        let head = expression(of: Array(terms.prefix(mostArguments)))
        return expression(of: [head] + terms.dropFirst(mostArguments))
    }

    /// Needed on each connection that writes or checks rows.
    static func register(on db: Database) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, function, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, count, values in
                withUnsafeTemporaryAllocation(byteCount: RowChecksum.pendingSize, alignment: 8) { pending in
                    var checksum = RowChecksum(pending)
                    for index in 0..<Int(count) { checksum.add(values![index]!) }
                    sqlite3_result_int64(context, Int64(checksum.sum()))
                }
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Most rows fit.
    private static let pendingSize = 1024

    private var crc = crc32(0, nil, 0)
    /// The first `count` bytes are not in `crc` yet. They are collected because zlib takes one long piece in a fifth of
    /// the time of many short ones.
    private let pending: UnsafeMutableRawBufferPointer
    private var count = 0

    private init(_ pending: UnsafeMutableRawBufferPointer) { self.pending = pending }

    /// Adds the value with its type. A whole number counts the same as INTEGER and as REAL. Its type depends on the
    /// column, and during an INSERT the value is not yet in the column.
    private mutating func add(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: add(1, UInt64(bitPattern: sqlite3_value_int64(value)))
        case SQLITE_FLOAT:
            let number = sqlite3_value_double(value)
            if let whole = Int64(exactly: number) {
                add(1, UInt64(bitPattern: whole))
            } else {
                add(2, number.bitPattern)
            }
        case SQLITE_NULL: add(3, 0)
        default:
            // Read as a blob, because reading it as text would copy it.
            let start = sqlite3_value_blob(value)
            // An empty text may have no address.
            let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
            add(4, UInt64(bytes.count))
            add(bytes)
        }
    }

    private mutating func add(_ type: UInt8, _ content: UInt64) {
        if count + 9 > pending.count { _ = sum() }
        pending[count] = type
        pending.storeBytes(of: content.littleEndian, toByteOffset: count + 1, as: UInt64.self)
        count += 9
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        if count + bytes.count > pending.count { _ = sum() }
        if bytes.count > pending.count {
            crc = RowChecksum.crc(crc, bytes)
        } else {
            UnsafeMutableRawBufferPointer(rebasing: pending[count...]).copyMemory(from: bytes)
            count += bytes.count
        }
    }

    /// The checksum of everything that was added.
    private mutating func sum() -> UInt {
        crc = RowChecksum.crc(crc, UnsafeRawBufferPointer(rebasing: pending[..<count]))
        count = 0
        return crc
    }

    private static func crc(_ crc: UInt, _ bytes: UnsafeRawBufferPointer) -> UInt {
        // Without an address, zlib would begin anew.
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return crc }
        return crc32(crc, start.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
    }
}

extension TableLayout {
    /// The table in SQLite's dialect.
    convenience init(_ collection: Collection, _ registry: Registry) {
        self.init(collection, registry: registry, dialect: SQLiteDialect())
    }

    /// The value that the column `row_checksum` must have, as an SQL expression.
    var rowChecksum: String { RowChecksum.expression(of: columns) }
}

/// The tables and indexes that a new database gets for the collections of a registry, as SQL.
package struct SchemaSQL: Sendable {
    /// Each table with its indexes, in drain order.
    package let statements: [String]
    private let version: String

    /// Throws a `SchemaError` if two tables or indexes would have the same name.
    package init(_ registry: Registry) throws(SchemaError) {
        try TableNames.check(registry, SQLiteDialect())
        version = registry.version
        statements = registry.collections.flatMap { collection in
            let layout = TableLayout(collection, registry)
            return [layout.createTable] + layout.indexes.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    package var text: String {
        """
        -- Made by `tidemark schema --format sql` from schema \(version), for those who read the database. The server
        -- makes these tables itself, and tables of its own, whose names begin with tidemark_.

        \(statements.joined(separator: ";\n\n"));

        """
    }
}
