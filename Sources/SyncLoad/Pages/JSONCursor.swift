import Foundation

/// Walks over JSON text where it lies, without making values of it. Checks the structure that it walks over, not what is
/// inside of skipped strings and numbers. Must not outlive the bytes.
struct JSONCursor {
    /// What a page can't be.
    struct Malformed: Error {
        let offset: Int
    }

    let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    /// The next byte that is no white space.
    mutating func peek() throws(Malformed) -> UInt8 {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            case let byte: return byte
            }
        }
        throw Malformed(offset: offset)
    }

    mutating func take(_ byte: Unicode.Scalar) throws(Malformed) {
        guard try peek() == UInt8(ascii: byte) else { throw Malformed(offset: offset) }
        offset += 1
    }

    private mutating func takeIf(_ byte: Unicode.Scalar) throws(Malformed) -> Bool {
        guard try peek() == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    /// Calls `member` behind each name; it must take the value.
    mutating func object(
        _ member: (inout JSONCursor, UnsafeRawBufferPointer) throws(Malformed) -> Void
    ) throws(Malformed) {
        try take("{")
        if try takeIf("}") { return }
        repeat {
            let name = try string()
            try take(":")
            try member(&self, name)
        } while try takeIf(",")
        try take("}")
    }

    /// Calls `element` in front of each one; it must take the value.
    mutating func array(_ element: (inout JSONCursor) throws(Malformed) -> Void) throws(Malformed) {
        try take("[")
        if try takeIf("]") { return }
        repeat { try element(&self) } while try takeIf(",")
        try take("]")
    }

    /// The bytes between the quotes, escapes as they are written.
    mutating func string() throws(Malformed) -> UnsafeRawBufferPointer {
        try take("\"")
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return UnsafeRawBufferPointer(rebasing: bytes[start..<offset - 1])
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        throw Malformed(offset: start)
    }

    mutating func integer() throws(Malformed) -> Int64 {
        _ = try peek()
        let start = offset
        skipPlain()
        guard let value = Int64(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
            throw Malformed(offset: start)
        }
        return value
    }

    /// Takes any value.
    mutating func skip() throws(Malformed) {
        switch try peek() {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"): try object { (cursor, _) throws(Malformed) in try cursor.skip() }
        case UInt8(ascii: "["): try array { (cursor) throws(Malformed) in try cursor.skip() }
        default:
            let start = offset
            skipPlain()
            guard offset > start else { throw Malformed(offset: start) }
        }
    }

    /// Numbers, `true`, `false`, `null`.
    private mutating func skipPlain() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
                offset += 1
            default: return
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && (count == 0 || memcmp(baseAddress!, text.utf8Start, count) == 0)
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
