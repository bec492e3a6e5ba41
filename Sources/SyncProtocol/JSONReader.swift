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

/// The names of an object's members, in the order in which they are likely to come. A name that comes when expected is
/// compared where it lies, and costs next to nothing.
package struct JSONNames: Sendable {
    private let names: [String]
    /// The names in quotes. Empty for a name that JSON writes with escapes.
    let quoted: [[UInt8]]

    package init(_ names: [String]) {
        self.names = names
        quoted = names.map { name in
            let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            return isPlain ? Array("\"\(name)\"".utf8) : []
        }
    }

    /// The index of a name, compared byte for byte.
    func place(of name: String) -> Int? { names.firstIndex { $0.utf8.elementsEqual(name.utf8) } }
}

/// Why a text can't be read as JSON.
public enum JSONError: Error, Equatable, Sendable {
    /// The text is not a JSON document (RFC 8259). Says what is wrong, and at which byte.
    case malformed(String)
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, in words that can follow a colon.
    public var description: String {
        switch self {
        case .malformed(let reason): reason
        case .tooDeep(let limit): "it is nested deeper than \(limit) levels"
        }
    }
}

extension UInt8 {
    /// Whether the byte is one of the ASCII digits `0` to `9`.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is an ASCII hex digit, in either case.
    package var isASCIIHexDigit: Bool { isASCIIDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }

    /// Whether the byte is an ASCII letter or digit.
    package var isASCIIAlphanumeric: Bool {
        isASCIIDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
