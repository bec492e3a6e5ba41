import SyncProtocol
import SyncSchema
import SyncStoreSQL

/// A row of a `COPY … TO STDOUT` in the binary format: https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.55.9.4
/// The format does not tell the types. Its bytes are valid until the next row.
struct CopiedRow: BinaryRow {
    /// Nil for null.
    let fields: UnsafeBufferPointer<UnsafeRawBufferPointer?>

    var count: Int32 { Int32(fields.count) }

    func isNull(_ column: Int32) -> Bool { fields[Int(column)] == nil }

    /// Whether the value may be an integer, by its length.
    func isInteger(_ column: Int32) -> Bool { fields[Int(column)].map { [2, 4, 8].contains($0.count) } ?? false }

    func integer(_ column: Int32) -> Int64 {
        guard let bytes = fields[Int(column)] else { return 0 }
        return switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default: 0
        }
    }

    func double(_ column: Int32) -> Double {
        guard let bytes = fields[Int(column)], bytes.count == 8 else { return 0 }
        return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }

    func text(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        guard let bytes = fields[Int(column)] else { return UnsafeBufferPointer(start: nil, count: 0) }
        return bytes.assumingMemoryBound(to: UInt8.self)
    }
}

extension Connection {
    /// Calls `read` with each row of a query, which has `columns` columns and no parameters. Rows are not kept in
    /// memory, unlike those of `ask`.
    func each(_ query: String, columns: Int, _ read: (CopiedRow) throws -> Void) throws {
        var isFirst = true
        try withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer?.self, capacity: columns) { fields in
            fields.initialize(repeating: nil)
            try copyOut("COPY (\(query)) TO STDOUT (FORMAT binary)") { message in
                var rest = message
                if isFirst {
                    // The signature, flags, and the length of an extension.
                    let length = 19 + Int(try rest.integer(at: 15, Int32.self))
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
                    isFirst = false
                }
                guard !rest.isEmpty, try rest.integer(at: 0, Int16.self) >= 0 else { return }
                try rest.split(into: fields)
                try read(CopiedRow(fields: UnsafeBufferPointer(fields)))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func integer<Number: FixedWidthInteger>(at place: Int, _ type: Number.Type) throws -> Number {
        guard place + MemoryLayout<Number>.size <= count else { throw Self.unexpected }
        return Number(bigEndian: loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    /// Finds the fields of a row: their number, then each with its length, which is -1 for null.
    fileprivate func split(into fields: UnsafeMutableBufferPointer<UnsafeRawBufferPointer?>) throws {
        guard Int(try integer(at: 0, Int16.self)) == fields.count else { throw Self.unexpected }
        var place = 2
        for column in fields.indices {
            let length = Int(try integer(at: place, Int32.self))
            place += 4
            guard length >= 0 else {
                fields[column] = nil
                continue
            }
            guard place + length <= count else { throw Self.unexpected }
            fields[column] = UnsafeRawBufferPointer(rebasing: self[place..<place + length])
            place += length
        }
    }

    private static var unexpected: DatabaseError {
        DatabaseError(state: nil, message: "The server sent a row in an unknown form.")
    }
}
