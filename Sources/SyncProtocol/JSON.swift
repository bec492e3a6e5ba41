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
