extension Cell {
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    var string: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// As an error names it; nil for null.
    var description: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .text: string
        }
    }

    /// Whether it is a text that PostgreSQL refuses: with a NUL, or not in UTF-8.
    var isUnstorable: Bool {
        guard case .text(let bytes) = self else { return false }
        return Cell.hasOddBytes(bytes) && (bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil)
    }

    /// Whether a byte is a NUL or not ASCII. Eight bytes at a time, because this looks at every text of a copy.
    private static func hasOddBytes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let bytes = UnsafeRawBufferPointer(text)
        var place = 0
        while place + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // The subtraction borrows into the top bit of a byte that is 0.
            if (word | (word &- ones)) & tops != 0 { return true }
            place += 8
        }
        return text[place...].contains { $0 == 0 || $0 >= 0x80 }
    }
}
