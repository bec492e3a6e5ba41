// MARK: Numbers

extension JSONReader {
    /// Reads a number: `int` if it is whole and fits into `Int64`. Throws if it is too large for a `Double`.
    mutating func number() throws -> JSON {
        let start = position
        if peek(UInt8(ascii: "-")) { position += 1 }
        let whole = digits()
        guard whole == 1 || (whole > 1 && bytes[position - whole] != UInt8(ascii: "0")) else {
            throw malformed("a value is missing")
        }
        let isWhole = try !fraction()
        if isWhole, whole < 19 { return .int(integer(start..<position)) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let int = Int64(text) { return .int(int) }
        guard let double = Double(text), double.isFinite else { throw malformed("a number is out of range") }
        return JSON(double)
    }

    /// An integer of at most 18 digits, which always fits.
    private func integer(_ range: Range<Int>) -> Int64 {
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in isNegative ? range.dropFirst() : range { value = value &* 10 &+ Int64(bytes[index] & 0x0F) }
        return isNegative ? -value : value
    }

    /// Reads fraction and exponent. Returns whether there was one.
    private mutating func fraction() throws -> Bool {
        let start = position
        if peek(UInt8(ascii: ".")) {
            position += 1
            guard digits() > 0 else { throw malformed("a digit is missing") }
        }
        if peek(UInt8(ascii: "e")) || peek(UInt8(ascii: "E")) {
            position += 1
            if peek(UInt8(ascii: "+")) || peek(UInt8(ascii: "-")) { position += 1 }
            guard digits() > 0 else { throw malformed("a digit is missing") }
        }
        return position > start
    }

    private func peek(_ byte: UInt8) -> Bool { position < bytes.count && bytes[position] == byte }

    /// Skips digits and counts them.
    private mutating func digits() -> Int {
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return position - start
    }
}

// MARK: Strings

extension JSONReader {
    /// Reads a string, from its opening quote on.
    mutating func string() throws -> String {
        position += 1
        let start = position
        let end = try plain()
        guard bytes[end] == UInt8(ascii: "\\") else {
            position = end + 1
            return try text(start..<end)
        }
        let before = halves
        let text = try escaped(Array(bytes[start..<end]))
        if halves > before { halfPlace = start..<(position - 1) }
        return text
    }

    /// The last text with half a surrogate pair, as the document writes it.
    var halfSource: String { String(decoding: bytes[halfPlace], as: UTF8.self) }

    /// A fast path for ASCII, which most strings here are. For other bytes Swift checks one by one, by generic code,
    /// that they are valid UTF-8.
    private func text(_ range: Range<Int>) throws -> String {
        let ascii = bytes.withUnsafeBufferPointer { buffer in
            let part = UnsafeBufferPointer(rebasing: buffer[range])
            return part.allSatisfy { $0 < 0x80 } ? String(decoding: part, as: UTF8.self) : nil
        }
        return try ascii ?? text(bytes[range])
    }

    /// Returns where the run of plain bytes ends: at a quote or a backslash.
    private mutating func plain() throws -> Int {
        position = bytes.withUnsafeBufferPointer { buffer in
            var index = position
            while index < buffer.count, !JSONReader.ends(buffer[index]) { index += 1 }
            return index
        }
        guard position < bytes.count else { throw malformed("a string does not end") }
        guard bytes[position] >= 0x20 else { throw malformed("a control character in a string") }
        return position
    }

    @inline(__always)
    private static func ends(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    private func text(_ utf8: some Collection<UInt8>) throws -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else { throw malformed("a string is not UTF-8") }
        return text
    }

    private mutating func escaped(_ beginning: [UInt8]) throws -> String {
        var utf8 = beginning
        while true {
            let start = position
            utf8 += bytes[start..<(try plain())]
            position += 1
            if bytes[position - 1] == UInt8(ascii: "\"") { return try text(utf8) }
            try escape(into: &utf8)
        }
    }

    private mutating func escape(into utf8: inout [UInt8]) throws {
        guard position < bytes.count else { throw malformed("a string does not end") }
        position += 1
        switch bytes[position - 1] {
        case UInt8(ascii: "n"): utf8.append(0x0A)
        case UInt8(ascii: "r"): utf8.append(0x0D)
        case UInt8(ascii: "t"): utf8.append(0x09)
        case UInt8(ascii: "b"): utf8.append(0x08)
        case UInt8(ascii: "f"): utf8.append(0x0C)
        case let byte where [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")].contains(byte):
            utf8.append(byte)
        case UInt8(ascii: "u"): utf8 += UTF8.encode(try scalar()).map(Array.init) ?? []
        default: throw malformed("an unknown escape")
        }
    }

    /// Reads what follows `\u`: four digits, or a surrogate pair as two such escapes.
    private mutating func scalar() throws -> Unicode.Scalar {
        let first = try hex()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let behind = position
        if UTF16.isLeadSurrogate(UInt16(first)), let second = try nextEscape(),
            UTF16.isTrailSurrogate(UInt16(second))
        {
            return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))!
        }
        guard mendsHalves else { throw malformed("half a surrogate pair") }
        position = behind
        halves += 1
        return "\u{FFFD}"
    }

    /// Reads another `\u` with its digits; nil if none follows.
    private mutating func nextEscape() throws -> UInt32? {
        guard bytes[position...].starts(with: "\\u".utf8) else { return nil }
        position += 2
        return try hex()
    }

    private mutating func hex() throws -> UInt32 {
        guard position + 4 <= bytes.count else { throw malformed("four hex digits are missing") }
        let digits = bytes[position..<(position + 4)]
        guard digits.allSatisfy(\.isASCIIHexDigit),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("four hex digits are missing") }
        position += 4
        return value
    }
}
