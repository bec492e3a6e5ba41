/// A JSON value, as it is sent.
///
/// Numbers that are whole and fit into `Int64` are `int`; all others are `double`. So equal numbers compare equal
/// however they were written (`1`, `1.0`, `1e0`).
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON {
    /// Texts are equal if their bytes are equal. Swift treats canonically equivalent texts as equal: an edit from one
    /// form of "é" to the other would change nothing, and a KELVIN SIGN would pass for the K of an enum's value.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): areEqual(left, right)
        default: false
        }
    }

    /// Compares member by member. Names are texts too.
    private static func areEqual(_ left: [String: JSON], _ right: [String: JSON]) -> Bool {
        left.count == right.count
            && left.allSatisfy { name, value in
                guard let index = right.index(forKey: name) else { return false }
                return right[index].key.hasSameBytes(as: name) && right[index].value == value
            }
    }

    /// The string; nil if this is not a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The integer; nil if this is not an integer.
    public var int: Int64? { if case .int(let value) = self { value } else { nil } }

    /// The number; nil if this is not a number.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The boolean; nil if this is not a boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements; nil if this is not an array.
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

    /// The members; nil if this is not an object.
    public var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }

    /// Whether this is `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The member `key`; nil if there is none, or if this is not an object.
    public subscript(key: String) -> JSON? { object?[key] }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .init(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }

    /// A number in its only form: `int` if it is whole and fits into `Int64`.
    public init(_ number: Double) {
        if let whole = Int64(exactly: number) { self = .int(whole) } else { self = .double(number) }
    }
}

extension JSON {
    /// An object with one member set.
    package func setting(_ name: String, to value: JSON) -> JSON {
        .object((object ?? [:]).merging([name: value]) { $1 })
    }
}

extension JSON {
    /// Parses one UTF-8 JSON document (RFC 8259) of any top-level type.
    ///
    /// Of several members with the same name, the last one counts. An object is malformed if two of its names differ
    /// only in how their letters are composed, such as U+00E9 and "e" with U+0301: Swift's dictionaries can't tell them
    /// apart. Throws `JSONError`.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 128) throws {
        self = try JSONReader.read(Array(bytes), maximumDepth: maximumDepth)
    }

    /// Parses a JSON text; see `init(parsing:maximumDepth:)`.
    public init(parsing text: String) throws { try self.init(parsing: text.utf8) }
}

extension JSON {
    /// The canonical text: members sorted by name (by Unicode scalars), no white space, numbers in their shortest form.
    /// Equal values have equal texts, so a digest of the text identifies the value.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The canonical text in UTF-8.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        write(to: &out)
        return out
    }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let value): out += value ? "true".utf8 : "false".utf8
        case .int(let value): out += String(value).utf8
        case .double(let value): out += value.isFinite ? value.description.utf8 : "null".utf8
        case .string(let value): JSON.write(value, to: &out)
        case .array(let elements): JSON.writeList(elements, brackets: ("[", "]"), to: &out) { $0.write(to: &$1) }
        case .object(let members):
            let sorted = members.sorted { JSON.precedes($0.key, $1.key) }
            JSON.writeList(sorted, brackets: ("{", "}"), to: &out) { member, out in
                JSON.write(member.key, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(to: &out)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], brackets: (Unicode.Scalar, Unicode.Scalar), to out: inout [UInt8],
        element: (Element, inout [UInt8]) -> Void
    ) {
        out.append(UInt8(ascii: brackets.0))
        for (index, value) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            element(value, &out)
        }
        out.append(UInt8(ascii: brackets.1))
    }

    private static func write(_ string: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            if bytes.contains(where: isEscaped) {
                for byte in bytes { writeEscaped(byte, to: &out) }
            } else {
                out.append(contentsOf: bytes)
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscaped(_ byte: UInt8, to out: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): out += "\\\"".utf8
        case UInt8(ascii: "\\"): out += "\\\\".utf8
        case UInt8(ascii: "\n"): out += "\\n".utf8
        case UInt8(ascii: "\r"): out += "\\r".utf8
        case UInt8(ascii: "\t"): out += "\\t".utf8
        case 0..<0x20: out += "\\u00\([byte].hex)".utf8
        default: out.append(byte)
        }
    }

    /// Compares by Unicode scalars, which is the order of the bytes in UTF-8.
    static func precedes(_ one: String, _ other: String) -> Bool {
        var one = one
        var other = other
        return one.withUTF8 { one in other.withUTF8 { other in one.lexicographicallyPrecedes(other) } }
    }
}

extension JSON {
    /// The canonical text on several lines, for files that people read and compare: members sorted by name, two spaces
    /// per level, a line break at the end.
    public var prettyText: String {
        var out = ""
        writePretty(to: &out, indent: "\n")
        return out + "\n"
    }

    private func writePretty(to out: inout String, indent: String) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            JSON.writeLines(elements.map { ("", $0) }, brackets: ("[", "]"), to: &out, indent: indent)
        case .object(let members) where !members.isEmpty:
            let sorted = members.sorted { JSON.precedes($0.key, $1.key) }
            let named = sorted.map { (JSON.string($0.key).text + ": ", $0.value) }
            JSON.writeLines(named, brackets: ("{", "}"), to: &out, indent: indent)
        default: out += text
        }
    }

    private static func writeLines(
        _ lines: [(prefix: String, value: JSON)], brackets: (String, String), to out: inout String, indent: String
    ) {
        out += brackets.0
        for (index, line) in lines.enumerated() {
            out += (index > 0 ? "," : "") + indent + "  " + line.prefix
            line.value.writePretty(to: &out, indent: indent + "  ")
        }
        out += indent + brackets.1
    }
}

extension JSON: Codable {
    /// Reads any value.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .int(number)
        } else if let number = try? value.decode(Double.self) {
            self.init(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let elements = try? value.decode([JSON].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var place = encoder.singleValueContainer()
        switch self {
        case .null: try place.encodeNil()
        case .bool(let flag): try place.encode(flag)
        case .int(let number): try place.encode(number)
        case .double(let number): try place.encode(number)
        case .string(let text): try place.encode(text)
        case .array(let elements): try place.encode(elements)
        case .object(let members): try place.encode(members)
        }
    }
}
