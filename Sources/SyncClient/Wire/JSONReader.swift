import Foundation
import SyncProtocol

/// Reads JSON (RFC 8259) straight from an answer's bytes.
///
/// It exists for speed: on Linux `JSONSerialization` makes a bridged object of every value, which took more than half
/// of a first pull's time. It accepts the same documents as `JSON(parsing:)`, and of equal members keeps the last too.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var depthLeft: Int
    private let limit: Int

    /// The one document in `data`. Throws `JSONError`, also for anything but white space behind it.
    static func read(_ data: Data, maximumDepth: Int = 128) throws -> JSON {
        var reader = JSONReader(bytes: Array(data), depthLeft: maximumDepth, limit: maximumDepth)
        let value = try reader.value()
        guard reader.token() == nil else { throw reader.malformed("something follows the document") }
        return value
    }

    private init(bytes: [UInt8], depthLeft: Int, limit: Int) {
        self.bytes = bytes
        self.depthLeft = depthLeft
        self.limit = limit
    }

    /// The next byte that is no white space, still to be read.
    private mutating func token() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return bytes[position]
            }
        }
        return nil
    }

    private mutating func skip(_ expected: Character) throws {
        guard token() == expected.asciiValue else { throw malformed("`\(expected)` is missing") }
        position += 1
    }

    private func malformed(_ what: String) -> JSONError { .malformed("\(what) at byte \(position)") }
}

// MARK: Values

extension JSONReader {
    private mutating func value() throws -> JSON {
        switch token() {
        case UInt8(ascii: "\""): .string(try string())
        case UInt8(ascii: "{"): try nested { .object(try $0.members()) }
        case UInt8(ascii: "["): try nested { .array(try $0.elements()) }
        case UInt8(ascii: "t"): try literal("true", .bool(true))
        case UInt8(ascii: "f"): try literal("false", .bool(false))
        case UInt8(ascii: "n"): try literal("null", .null)
        default: try number()
        }
    }

    private mutating func nested(_ read: (inout Self) throws -> JSON) throws -> JSON {
        guard depthLeft > 0 else { throw JSONError.tooDeep(limit: limit) }
        depthLeft -= 1
        defer { depthLeft += 1 }
        position += 1
        return try read(&self)
    }

    private mutating func members() throws -> [String: JSON] {
        var members: [String: JSON] = [:]
        guard token() != UInt8(ascii: "}") else { return closed(members) }
        while true {
            guard token() == UInt8(ascii: "\"") else { throw malformed("a name is missing") }
            let name = try string()
            try skip(":")
            members[name] = try value()
            guard token() == UInt8(ascii: ",") else { break }
            position += 1
        }
        try skip("}")
        return members
    }

    private mutating func elements() throws -> [JSON] {
        var elements: [JSON] = []
        guard token() != UInt8(ascii: "]") else { return closed(elements) }
        while true {
            elements.append(try value())
            guard token() == UInt8(ascii: ",") else { break }
            position += 1
        }
        try skip("]")
        return elements
    }

    private mutating func closed<Value>(_ value: Value) -> Value {
        position += 1
        return value
    }

    private mutating func literal(_ text: StaticString, _ value: JSON) throws -> JSON {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual("\(text)".utf8) else {
            throw malformed("a value is missing")
        }
        position = end
        return value
    }
}

// MARK: Numbers

extension JSONReader {
    private mutating func number() throws -> JSON {
        let start = position
        if peek(UInt8(ascii: "-")) { position += 1 }
        let whole = digits()
        guard whole == 1 || (whole > 1 && bytes[position - whole] != UInt8(ascii: "0")) else {
            throw malformed("a value is missing")
        }
        let isWhole = try !fraction()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let int = Int64(text) { return .int(int) }
        guard let double = Double(text), double.isFinite else { throw malformed("a number is out of range") }
        return JSON(double)
    }

    /// Reads fraction and exponent; whether there was one.
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
    private mutating func string() throws -> String {
        position += 1
        let start = position
        let end = try plain()
        guard bytes[end] == UInt8(ascii: "\\") else {
            position = end + 1
            return try text(bytes[start..<end])
        }
        return try escaped(Array(bytes[start..<end]))
    }

    /// Where the run of bytes without a meaning ends: at a quote or a backslash.
    private mutating func plain() throws -> Int {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return position
            case 0..<0x20: throw malformed("a control character in a string")
            default: position += 1
            }
        }
        throw malformed("a string does not end")
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

    /// Behind `\u`: four digits, or a surrogate pair as two such escapes.
    private mutating func scalar() throws -> Unicode.Scalar {
        let first = try hex()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(first)), peek(UInt8(ascii: "\\")) else {
            throw malformed("half a surrogate pair")
        }
        position += 1
        guard peek(UInt8(ascii: "u")) else { throw malformed("half a surrogate pair") }
        position += 1
        let second = try hex()
        guard UTF16.isTrailSurrogate(UInt16(second)),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw malformed("half a surrogate pair") }
        return scalar
    }

    private mutating func hex() throws -> UInt32 {
        guard position + 4 <= bytes.count else { throw malformed("four hex digits are missing") }
        let digits = bytes[position..<(position + 4)]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("four hex digits are missing") }
        position += 4
        return value
    }
}
