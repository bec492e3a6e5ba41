import SyncStoreSQL

/// Rows for a `COPY … FROM STDIN` in the binary format, collected into messages.
struct BinaryRows {
    private static let messageSize = 128 << 10
    private static let head: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)

    private let types: [CopyTable.ColumnType]
    private var bytes = Self.head

    init(_ types: [CopyTable.ColumnType]) {
        self.types = types
        bytes.reserveCapacity(2 * Self.messageSize)
    }

    /// Whether there is enough for a message.
    var isFull: Bool { bytes.count >= Self.messageSize }

    /// Hands over what was collected, and begins again.
    mutating func flush(to input: CopyInput) throws {
        try bytes.withUnsafeBytes(input.send)
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(_ row: UnsafeBufferPointer<Cell>) {
        append(Int16(row.count))
        for (type, cell) in zip(types, row) { append(cell, type) }
    }

    /// Ends the rows.
    mutating func end() { append(Int16(-1)) }

    private mutating func append(_ cell: Cell, _ type: CopyTable.ColumnType) {
        switch cell {
        case .null: append(Int32(-1))
        case .integer(let number) where type == .boolean:
            append(Int32(2))
            append(Int16(truncatingIfNeeded: number))
        case .integer(let number) where type == .real: append(Double(number))
        case .integer(let number):
            append(Int32(8))
            append(number)
        case .double(let number): append(number)
        case .text(let text):
            append(Int32(text.count))
            bytes.append(contentsOf: text)
        }
    }

    private mutating func append(_ number: Double) {
        append(Int32(8))
        append(Int64(bitPattern: number.bitPattern))
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
