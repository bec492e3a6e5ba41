import Foundation

/// Walks through JSON text in place, without making values of it. It checks the structure that it walks through, but
/// not what is inside skipped strings and numbers. It must not outlive the bytes.
struct JSONCursor {
    /// The bytes are not the expected JSON; `offset` is the place.
    struct Malformed: Error {
        let offset: Int
    }

    let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next byte that is not white space.
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

    /// Reads an object. Calls `member` after each name; it must consume the value.
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

    /// Reads an array. Calls `element` before each element; it must consume the element.
    mutating func array(_ element: (inout JSONCursor) throws(Malformed) -> Void) throws(Malformed) {
        try take("[")
        if try takeIf("]") { return }
        repeat { try element(&self) } while try takeIf(",")
        try take("]")
    }

    /// Reads a string: the bytes between the quotes, with escapes as written.
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

    /// Consumes any value.
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

    /// Consumes a number, `true`, `false` or `null`.
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
