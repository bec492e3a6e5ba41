package import SyncProtocol
package import SyncSchema

/// The current row of a statement. Columns count from 0.
package protocol SQLRow {
    /// The number of columns.
    var count: Int32 { get }
    func isNull(_ column: Int32) -> Bool
    func isInteger(_ column: Int32) -> Bool
    /// The integer in the column; 0 for null.
    func integer(_ column: Int32) -> Int64
    /// The bytes of a text; empty for null. Valid until the statement's next step.
    func text(_ column: Int32) -> UnsafeBufferPointer<UInt8>
    /// The value of a field of this type. Booleans are stored as 0 and 1, lists and objects as JSON text. Null if the
    /// column can't be read as this type.
    func value(_ column: Int32, _ schema: ValueSchema) -> JSON
}

extension SQLRow {
    package func string(_ column: Int32) -> String { String(decoding: text(column), as: UTF8.self) }

    package func optionalString(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }

    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package func instant(_ column: Int32) -> Instant { Instant(milliseconds: integer(column)) }

    package func optionalInstant(_ column: Int32) -> Instant? {
        optionalInteger(column).map { Instant(milliseconds: $0) }
    }
}
