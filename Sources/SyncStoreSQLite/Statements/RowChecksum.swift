import CZlib
import GRDB
import GRDBSQLite

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
                var checksum = RowChecksum()
                for index in 0..<Int(count) { checksum.add(values![index]!) }
                sqlite3_result_int64(context, Int64(checksum.crc))
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private var crc = crc32(0, nil, 0)

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
            let bytes = sqlite3_value_blob(value)
            let count = sqlite3_value_bytes(value)
            add(4, UInt64(count))
            if count > 0 { crc = crc32(crc, bytes?.assumingMemoryBound(to: UInt8.self), UInt32(count)) }
        }
    }

    private mutating func add(_ type: UInt8, _ content: UInt64) {
        var record = (type, content.littleEndian)
        withUnsafeBytes(of: &record.0) { crc = crc32(crc, $0.baseAddress!.assumingMemoryBound(to: UInt8.self), 1) }
        withUnsafeBytes(of: &record.1) { crc = crc32(crc, $0.baseAddress!.assumingMemoryBound(to: UInt8.self), 8) }
    }
}
