package import SyncProtocol

/// What one value may be: the part of JSON Schema 2020-12 that collections use.
package struct ValueSchema: Sendable {
    /// The JSON type apart from null.
    package enum Kind: String, Sendable, CaseIterable {
        case string, integer, number, boolean, array, object
    }

    /// The formats that are checked.
    package enum Format: String, Sendable, CaseIterable {
        case date
        case dateTime = "date-time"
        case time
        case timezone = "iana-timezone"
    }

    package let kind: Kind
    package let isNullable: Bool
    package internal(set) var allowed: [JSON]?
    package internal(set) var maxLength: Int?
    package internal(set) var minimum: Double?
    package internal(set) var exclusiveMinimum: Double?
    package internal(set) var maximum: Double?
    package internal(set) var format: Format?
    package internal(set) var pattern: Pattern?
    package internal(set) var maxItems: Int?
    package internal(set) var hasUniqueItems = false
    /// The most bytes of a text without a `maxLength`, in UTF-8: 1 MiB.
    static let mostBytes = 1 << 20

    /// The schema of an array's elements.
    package var items: ValueSchema? { nested["items"] }
    /// The schemas of an object's members.
    package internal(set) var properties: [String: ValueSchema] = [:]
    package internal(set) var required: [String] = []
    /// A struct can't hold itself; a dictionary can.
    var nested: [String: ValueSchema] = [:]

    init(kind: Kind, isNullable: Bool) {
        self.kind = kind
        self.isNullable = isNullable
    }

    /// Whether every value of its type and format is accepted.
    var isFree: Bool { allowed == nil && maxLength == nil && pattern == nil }

    /// Whether a text in it must match a pattern.
    var hasPattern: Bool {
        pattern != nil || nested.values.contains(where: \.hasPattern) || properties.values.contains(where: \.hasPattern)
    }

    /// Whether the value is stored as JSON text.
    package var isStructured: Bool { kind == .array || kind == .object }
}
