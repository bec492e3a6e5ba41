import GRDB
import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Steps a bound statement, and reads its columns in SQLite's memory.
///
/// Pointers to texts are valid until the next step. Nothing here keeps one.
struct RawRows: SQLRow {
    let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) { self.statement = statement }

    /// Moves to the next row. Returns false if there is none.
    func step(_ db: Database) throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }

    func reset() { sqlite3_reset(statement) }

    /// The number of columns.
    var count: Int32 { sqlite3_column_count(statement) }

    @inline(__always)
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_INTEGER }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    @inline(__always)
    func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    @inline(__always)
    func text(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = sqlite3_column_text(statement, column)
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    /// The bytes of a text in SQLite's memory; nil for null. `sqlite3_column_text` would copy them first, to append a
    /// NUL: https://sqlite.org/c3ref/column_blob.html
    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_blob(statement, column) else {
            // An empty text has no address, just like null.
            return isNull(column) ? nil : UnsafeBufferPointer(start: nil, count: 0)
        }
        let count = Int(sqlite3_column_bytes(statement, column))
        return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// Reads a value as `bind` stored it: booleans are 0 and 1, lists
    /// and objects are JSON text. Null if the column has another type.
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

    /// Writes the row into the page. Texts are read where they lie in SQLite's memory.
    func write(_ encoder: RowEncoder, _ middle: [UInt8], to page: inout PageWriter, isCreated: Bool) {
        let columns = encoder.columns
        withUnsafeTemporaryAllocation(of: Cell.self, capacity: columns.count) { cells in
            for (place, column) in columns.enumerated() { cells.initializeElement(at: place, to: cell(column)) }
            let (id, version) = (bytes(0) ?? UnsafeBufferPointer(start: nil, count: 0), integer(.version))
            encoder.write(id, version, UnsafeBufferPointer(cells), middle, to: &page, isCreated: isCreated)
        }
    }

    @inline(__always)
    private func cell(_ column: RowEncoder.Column) -> Cell {
        switch column.storage {
        case .text: bytes(column.index).map(Cell.text) ?? .null
        case .integer: column.isNullable && isNull(column.index) ? .null : .integer(integer(column.index))
        case .double: column.isNullable && isNull(column.index) ? .null : .double(double(column.index))
        }
    }
}
