import GRDB
import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncValues

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
            let id = bytes(0) ?? UnsafeBufferPointer(start: nil, count: 0)
            let version = integer(.version)
            encoder.write(
                id, version: version, cells: UnsafeBufferPointer(cells), middle: middle, to: &page, isCreated: isCreated
            )
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

extension RawRows {
    /// Starts the statement again with these values for ?1, ?2 …
    func restart(with values: [JSON]) {
        reset()
        for (place, value) in zip(Int32(1)..., values) { bind(value, at: place) }
    }

    /// Binds a value to `?place`: booleans as 0 and 1, lists and objects as JSON text. SQLite copies texts, so nothing
    /// has to outlive the call. GRDB's argument types took half the time of a large write.
    private func bind(_ value: JSON, at place: Int32) {
        switch value {
        case .null: sqlite3_bind_null(statement, place)
        case .bool(let flag): sqlite3_bind_int64(statement, place, flag ? 1 : 0)
        case .int(let number): sqlite3_bind_int64(statement, place, number)
        case .double(let number): sqlite3_bind_double(statement, place, number)
        case .string(let text): bind(text, at: place)
        case .array, .object: bind(value.text, at: place)
        }
    }

    private func bind(_ text: String, at place: Int32) {
        sqlite3_bind_text(statement, place, text, Int32(text.utf8.count), RawRows.copied)
    }

    /// `SQLITE_TRANSIENT`, which is not imported because it is a C macro. The pointer -1 means "copy the text at once"
    /// (https://sqlite.org/c3ref/c_static.html). It is never called.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// Reads without GRDB's value types. They cost time, and they end the process if a column of a damaged file does not
/// have the type that the table declares.
extension Database {
    /// The result of `read` for the statement's first row; nil if there is no row.
    func first<Value>(_ sql: String, _ values: [JSON] = [], read: (RawRows) throws -> Value) throws -> Value? {
        var value: Value?
        try each(sql, values) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// The results of `read` for all rows of the statement.
    func all<Value>(_ sql: String, _ values: [JSON] = [], read: (RawRows) throws -> Value) throws -> [Value] {
        var list: [Value] = []
        try each(sql, values) { row in
            list.append(try read(row))
            return true
        }
        return list
    }

    /// Calls `read` with each row of the statement until it returns
    /// false. If `isKept` is false, the prepared statement is not cached.
    func each(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true, read: (RawRows) throws -> Bool
    ) throws {
        let statement = try isKept ? cachedStatement(sql: sql) : makeStatement(sql: sql)
        // GRDB finalizes a statement when the last reference to it goes, even while its rows are being read.
        try withExtendedLifetime(statement) {
            let rows = RawRows(statement.sqliteStatement)
            defer { rows.reset() }
            rows.restart(with: values)
            while try rows.step(self), try read(rows) {}
        }
    }
}
