import CZlib
import GRDB
import GRDBSQLite

/// The content checksum that each row of a collection carries: CRC-32 over the values of all its columns. Each statement
/// that writes a row writes it anew, so that a row which the disk has changed by itself is known from one that was written.
///
/// An SQL function, so that statements which change many rows at once keep it too. SQLite's own `integrity_check` looks at
/// the shape of the file, and finds few of the bits that fall over within a row.
struct RowChecksum {
    private static let function = "tidemark_checksum"
    /// Fewer than SQLite allows: https://sqlite.org/limits.html#max_function_arg
    private static let mostArguments = 100

    /// Of values or columns, in their order.
    static func expression(of terms: [String]) -> String {
        guard terms.count > mostArguments else { return "\(function)(\(terms.joined(separator: ", ")))" }
        let head = expression(of: Array(terms.prefix(mostArguments)))
        return expression(of: [head] + terms.dropFirst(mostArguments))
    }

    /// For each connection that writes rows or checks them.
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

    /// The value with its type. A whole number counts alike as INTEGER and as REAL: which of them it is depends on the
    /// column, and at an INSERT it is not in the column yet.
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
            // A text is taken as it is stored; asking for it as text would copy it.
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
