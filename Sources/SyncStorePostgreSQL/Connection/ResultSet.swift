import CPQ
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncValues

/// The rows that a statement has returned, in the binary format. They lie in libpq's memory as long as this lives.
final class ResultSet {
    let result: OpaquePointer
    let types: [Oid]

    /// Takes over the result.
    init(_ result: OpaquePointer) {
        self.result = result
        types = (0..<PQnfields(result)).map { PQftype(result, $0) }
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    /// The bytes that the rows take.
    var memory: Int { Int(PQresultMemorySize(result)) }

    /// How many rows an `INSERT`, `UPDATE` or `DELETE` has changed.
    var changed: Int { PQcmdTuples(result).map { Int(String(cString: $0)) ?? 0 } ?? 0 }

    subscript(row: Int) -> ResultRow { ResultRow(results: self, row: Int32(row)) }

    /// All rows.
    var rows: some Sequence<ResultRow> { (0..<count).lazy.map { self[$0] } }

    var first: ResultRow? { count > 0 ? self[0] : nil }
}

/// A row of a `ResultSet`, which it keeps. Texts are valid as long as the set.
struct ResultRow: BinaryRow {
    /// The types of `pg_type` whose values are texts or numbers.
    private enum Types {
        static let int8: Oid = 20
        static let int2: Oid = 21
        static let int4: Oid = 23
        static let float8: Oid = 701
    }

    let results: ResultSet
    let row: Int32

    private var result: OpaquePointer { results.result }

    var count: Int32 { Int32(results.types.count) }

    @inline(__always)
    func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

    func isInteger(_ column: Int32) -> Bool {
        let type = results.types[Int(column)]
        return !isNull(column) && (type == Types.int8 || type == Types.int4 || type == Types.int2)
    }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
        guard let start = PQgetvalue(result, row, column) else { return 0 }
        let bytes = UnsafeRawPointer(start)
        return switch PQgetlength(result, row, column) {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: Int64(bytes.load(as: Int8.self))
        default: 0
        }
    }

    @inline(__always)
    func double(_ column: Int32) -> Double {
        guard results.types[Int(column)] == Types.float8, !isNull(column) else { return Double(integer(column)) }
        guard let start = PQgetvalue(result, row, column) else { return 0 }
        return Double(bitPattern: UInt64(bigEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)))
    }

    @inline(__always)
    func text(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = PQgetvalue(result, row, column)
        return UnsafeBufferPointer(
            start: UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self),
            count: Int(PQgetlength(result, row, column)))
    }

    /// Writes the row into a page. Texts are read where they lie in libpq's memory.
    func write(_ encoder: RowEncoder, _ middle: [UInt8], to page: inout PageWriter, isCreated: Bool) {
        let columns = encoder.columns
        withUnsafeTemporaryAllocation(of: Cell.self, capacity: columns.count) { cells in
            for (place, column) in columns.enumerated() { cells.initializeElement(at: place, to: cell(column)) }
            encoder.write(
                text(0), version: integer(.version), cells: UnsafeBufferPointer(cells), middle: middle, to: &page,
                isCreated: isCreated)
        }
    }

    @inline(__always)
    private func cell(_ column: RowEncoder.Column) -> Cell {
        guard !isNull(column.index) else { return .null }
        return switch column.storage {
        case .text: .text(text(column.index))
        case .integer: .integer(integer(column.index))
        case .double: .double(double(column.index))
        }
    }
}

/// A row whose values are in PostgreSQL's binary format.
protocol BinaryRow: SQLRow {
    func double(_ column: Int32) -> Double
}

extension BinaryRow {
    /// Reads a value as `Parameters` wrote it: booleans are 0 and 1, lists and objects are JSON text.
    func value(_ column: Int32, _ schema: ValueSchema) -> JSON {
        guard !isNull(column) else { return .null }
        return switch schema.kind {
        case .boolean: .bool(integer(column) != 0)
        case .integer: .int(integer(column))
        case .number: JSON(double(column))
        case .array, .object: (try? JSON(parsing: text(column))) ?? .null
        case .string: .string(string(column))
        }
    }
}
