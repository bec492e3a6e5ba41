import GRDB
import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore

/// Steps a bound statement and reads its columns where SQLite keeps them.
///
/// Pointers to texts are valid until the next step; nothing here keeps one.
struct RawRows {
    let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) { self.statement = statement }

    /// Whether there is a next row.
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

    /// How many columns a row has.
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

    /// The bytes of a text where SQLite keeps them; nil for null. `sqlite3_column_text` would copy them first, to put a
    /// NUL behind: https://sqlite.org/c3ref/column_blob.html
    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_blob(statement, column) else {
            // An empty text has no address either.
            return isNull(column) ? nil : UnsafeBufferPointer(start: nil, count: 0)
        }
        let count = Int(sqlite3_column_bytes(statement, column))
        return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    // The system columns, in the order of `TableLayout`.

    var insertedBy: Int64? { isNull(9) ? nil : integer(9) }

    var insertedAt: Instant? { isNull(10) ? nil : Instant(milliseconds: integer(10)) }

    /// Decimals with a space between.
    var gateChanges: [SyncSeq] {
        guard !isNull(11) else { return [] }
        return String(decoding: text(11), as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
            .map { SyncSeq($0) }
    }

    /// The list that the row goes to; nil where it is not served.
    func bucket(in scan: SegmentScan) -> SegmentScan.Buckets? {
        switch form(in: scan) {
        case .nothing: nil
        case .tombstone: .deleted
        case .live where scan.oldRows != nil && isLeftOut(of: scan): nil
        case .live: scan.delivery.created != nil && isCreated(in: scan) ? .created : .updated
        }
    }

    private func isCreated(in scan: SegmentScan) -> Bool {
        scan.isCreated(createdSeq: SyncSeq(integer(4)), insertedBy: insertedBy)
    }

    private func isLeftOut(of scan: SegmentScan) -> Bool {
        scan.leavesOut(seq: SyncSeq(integer(3))) { position in
            value(Int32(TableLayout.systemColumns.count + position), scan.collection.fields[position].value)
        }
    }

    private func form(in scan: SegmentScan) -> SegmentScan.Form {
        let isDeleted = integer(2) != 0
        return scan.form(isDeleted: isDeleted, seq: SyncSeq(integer(3))) {
            RowLife(
                createdSeq: SyncSeq(integer(4)), contentSeq: SyncSeq(integer(8)), isDeleted: isDeleted,
                isGated: integer(5) != 0, gateSeq: SyncSeq(integer(6)), gateChanges: gateChanges)
        }
    }

    func position(orderedBy rows: SegmentScan.Rows) -> KeysetPosition {
        let column: Int32 = if case .hidden = rows { 6 } else { 3 }
        return KeysetPosition(seq: SyncSeq(integer(column)), id: String(decoding: text(0), as: UTF8.self))
    }
}
