public import SyncProtocol

/// What one value may be: the part of JSON Schema 2020-12 that collections use.
public struct ValueSchema: Sendable {
    /// The JSON type apart from null.
    public enum Kind: String, Sendable, CaseIterable {
        case string, integer, number, boolean, array, object
    }

    /// The formats that are checked.
    public enum Format: String, Sendable, CaseIterable {
        case date
        case dateTime = "date-time"
        case time
        case timezone = "iana-timezone"
    }

    public let kind: Kind
    public let isNullable: Bool
    public internal(set) var allowed: [JSON]?
    public internal(set) var maxLength: Int?
    public internal(set) var minimum: Double?
    public internal(set) var exclusiveMinimum: Double?
    public internal(set) var maximum: Double?
    public internal(set) var format: Format?
    public internal(set) var pattern: String?
    public internal(set) var maxItems: Int?
    public internal(set) var hasUniqueItems = false
    /// Of an array's elements.
    public var items: ValueSchema? { nested["items"] }
    /// Of an object's members.
    public internal(set) var properties: [String: ValueSchema] = [:]
    public internal(set) var required: [String] = []
    /// A struct can't hold itself; a dictionary can.
    var nested: [String: ValueSchema] = [:]

    init(kind: Kind, isNullable: Bool) {
        self.kind = kind
        self.isNullable = isNullable
    }

    /// Whether the value is stored as JSON text.
    public var isStructured: Bool { kind == .array || kind == .object }
}

/// Why a value is not acceptable.
public struct Violation: Error, Sendable, Equatable {
    /// RFC 6901, from the value on.
    public var pointer: String
    public let code: ErrorCode
    public let detail: String

    public init(_ code: ErrorCode, _ detail: String, pointer: String = "") {
        self.code = code
        self.detail = detail
        self.pointer = pointer
    }
}
