import Foundation

/// Reads JSON (RFC 8259) straight from bytes into `JSON`.
///
/// We have our own reader only for speed. On Linux, `JSONSerialization` makes a bridged object of every value: it took
/// 8.4 s for 50,000 rows, and this reader takes 0.5 s. Both accept the same documents, which a test checks.
///
/// A caller who knows what to expect can read a document part by part, with `object`, `array` and `value`. Then no
/// dictionaries are made on the way.
package struct JSONReader {
    let bytes: [UInt8]
    var position = 0
    /// Number of members of the object that was read last. The next one is likely to have as many.
    private var usualCount = 0
    private var depthLeft: Int
    private let limit: Int
    /// Whether half a surrogate pair is read as U+FFFD. Otherwise it is malformed.
    let mendsHalves: Bool
    /// Number of halves that were read as U+FFFD.
    var halves = 0
    /// Where the last text with such a half lies, without its quotes.
    var halfPlace = 0..<0

    /// Reads the only document in `bytes`. Throws `JSONError`, also if anything but white space follows it.
    static func read(_ bytes: [UInt8], maximumDepth: Int) throws -> JSON {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        let value = try reader.value()
        try reader.end()
        return value
    }

    /// A reader at the start of a document in UTF-8.
    package init(_ bytes: [UInt8], maximumDepth: Int = 128) {
        self.init(bytes, maximumDepth: maximumDepth, mendsHalves: false)
    }

    init(_ bytes: [UInt8], maximumDepth: Int, mendsHalves: Bool) {
        self.bytes = bytes
        self.mendsHalves = mendsHalves
        depthLeft = maximumDepth
        limit = maximumDepth
    }

    /// Throws a `JSONError` if anything but white space follows.
    package mutating func end() throws {
        guard token() == nil else { throw malformed("something follows the document") }
    }

    /// The next byte that is not white space. It is not consumed.
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

    func malformed(_ what: String) -> JSONError { .malformed("\(what) at byte \(position)") }
}

// MARK: Values

extension JSONReader {
    /// The next value, whatever it is. Throws a `JSONError`.
    package mutating func value() throws -> JSON {
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

    private mutating func nested<Value>(_ read: (inout Self) throws -> Value) throws -> Value {
        guard depthLeft > 0 else { throw JSONError.tooDeep(limit: limit) }
        depthLeft -= 1
        defer { depthLeft += 1 }
        position += 1
        return try read(&self)
    }

    private mutating func members() throws -> [String: JSON] {
        var members: [String: JSON] = [:]
        guard token() != UInt8(ascii: "}") else { return closed(members) }
        members.reserveCapacity(usualCount)
        while true {
            guard token() == UInt8(ascii: "\"") else { throw malformed("a name is missing") }
            let name = try string()
            try skip(":")
            try put(try value(), under: name, into: &members)
            guard token() == UInt8(ascii: ",") else { break }
            position += 1
        }
        try skip("}")
        usualCount = members.count
        return members
    }

    func put(_ value: JSON, under name: String, into members: inout [String: JSON]) throws {
        guard members.updateValue(value, forKey: name) != nil else { return }
        // The dictionary keeps the name that it already has.
        guard let index = members.index(forKey: name), members[index].key.hasSameBytes(as: name) else {
            throw malformed("two names of an object differ only in how their letters are composed")
        }
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

// MARK: Parts

extension JSONReader {
    /// Whether the next value is an object.
    package var isAtObject: Bool { mutating get { token() == UInt8(ascii: "{") } }

    /// Whether the next value is an array.
    package var isAtArray: Bool { mutating get { token() == UInt8(ascii: "[") } }

    /// Reads an object. `read` gets each member's name, and must read its
    /// value. Throws a `JSONError`, and what `read` throws.
    package mutating func object(_ read: (inout JSONReader, String) throws -> Void) throws {
        try members { reader in
            let name = try reader.string()
            try reader.skip(":")
            try read(&reader, name)
        }
    }

    /// The same. `read` gets the index of each name in `names`, or nil for other names.
    package mutating func object(of names: JSONNames, _ read: (inout JSONReader, Int?) throws -> Void) throws {
        var likely = 0
        try members { reader in
            let place = try reader.name(of: names, likely)
            try reader.skip(":")
            if let place { likely = place + 1 }
            try read(&reader, place)
        }
    }

    /// Reads an array. `read` must read each element.
    package mutating func array(_ read: (inout JSONReader) throws -> Void) throws {
        guard isAtArray else { throw malformed("an array is missing") }
        try nested { reader in
            guard reader.token() != UInt8(ascii: "]") else { return reader.closed(()) }
            try reader.list(read)
            try reader.skip("]")
        }
    }

    private mutating func members(_ read: (inout JSONReader) throws -> Void) throws {
        guard isAtObject else { throw malformed("an object is missing") }
        try nested { reader in
            guard reader.token() != UInt8(ascii: "}") else { return reader.closed(()) }
            try reader.list { reader in
                guard reader.token() == UInt8(ascii: "\"") else { throw reader.malformed("a name is missing") }
                try read(&reader)
            }
            try reader.skip("}")
        }
    }

    /// Reads one or more parts with commas between them.
    private mutating func list(_ read: (inout JSONReader) throws -> Void) throws {
        while true {
            try read(&self)
            guard token() == UInt8(ascii: ",") else { return }
            position += 1
        }
    }

    private mutating func name(of names: JSONNames, _ likely: Int) throws -> Int? {
        if likely < names.quoted.count, take(names.quoted[likely]) { return likely }
        return names.place(of: try string())
    }

    private mutating func take(_ expected: [UInt8]) -> Bool {
        let end = position + expected.count
        guard !expected.isEmpty, end <= bytes.count else { return false }
        let isNext = bytes.withUnsafeBytes { bytes in
            expected.withUnsafeBytes { memcmp(bytes.baseAddress! + position, $0.baseAddress!, expected.count) == 0 }
        }
        if isNext { position = end }
        return isNext
    }
}
