import SyncProtocol
import SyncSchema
import SyncStoreSQL

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
