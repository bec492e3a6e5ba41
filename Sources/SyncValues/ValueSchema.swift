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
        /// The SHA-256 of a file, in 64 lower-case hex digits.
        case blob
        /// Bytes in base64 (RFC 4648 section 4), at most `mostDecodedBytes`.
        case byte
    }

    package let kind: Kind
    package let isNullable: Bool
    package var allowed: [JSON]?
    package var maxLength: Int?
    package var minimum: Double?
    package var exclusiveMinimum: Double?
    package var maximum: Double?
    package var format: Format?
    package var pattern: Pattern?
    package var maxItems: Int?
    package var hasUniqueItems = false
    /// Whether a text in it may name a time zone that is in no list, if it has the form of a zone's name.
    private(set) var acceptsUnknownZones = false
    /// The most bytes of a text without a `maxLength`, in UTF-8: 1 MiB.
    static let mostBytes = 1 << 20
    /// The most bytes that a text of the format `byte` stands for: 64 KiB.
    static let mostDecodedBytes = 64 << 10

    /// The schema of an array's elements.
    package var items: ValueSchema? { nested["items"] }
    /// The schemas of an object's members.
    package var properties: [String: ValueSchema] = [:]
    package var required: [String] = []
    /// A struct can't hold itself; a dictionary can.
    var nested: [String: ValueSchema] = [:]

    init(kind: Kind, isNullable: Bool) {
        self.kind = kind
        self.isNullable = isNullable
    }

    /// Whether every value of its type and format is accepted.
    package var isFree: Bool { allowed == nil && maxLength == nil && pattern == nil }

    /// Whether a text in it must match a pattern.
    package var hasPattern: Bool {
        pattern != nil || nested.values.contains(where: \.hasPattern) || properties.values.contains(where: \.hasPattern)
    }

    /// Whether a list or an object of it holds digests of files.
    package var holdsBlobs: Bool {
        (Array(nested.values) + Array(properties.values)).contains { $0.format == .blob || $0.holdsBlobs }
    }

    /// The same, for whoever has an older list of time zones than the server.
    package var acceptingUnknownZones: ValueSchema {
        var schema = self
        schema.acceptsUnknownZones = true
        schema.nested = nested.mapValues(\.acceptingUnknownZones)
        schema.properties = properties.mapValues(\.acceptingUnknownZones)
        return schema
    }

    /// Whether the value is stored as JSON text.
    package var isStructured: Bool { kind == .array || kind == .object }
}

extension ValueSchema {
    /// Reads the standard keywords of one value from `reader`, which may have more keywords for the caller.
    package init(_ reader: inout SchemaReader) throws(SchemaError) {
        let (kind, isNullable) = try ValueSchema.type(&reader)
        self.init(kind: kind, isNullable: isNullable)
        _ = try reader.string("description")
        maxLength = try reader.count("maxLength")
        minimum = try ValueSchema.bound("minimum", &reader)
        exclusiveMinimum = try ValueSchema.bound("exclusiveMinimum", &reader)
        maximum = try ValueSchema.bound("maximum", &reader)
        format = try reader.word("format", Format.self)
        pattern = try ValueSchema.pattern(&reader)
        maxItems = try reader.count("maxItems")
        hasUniqueItems = try reader.flag("uniqueItems")
        required = try reader.strings("required") ?? []
        if let items = try reader.object("items") { nested["items"] = try ValueSchema(whole: items) }
        if let members = try reader.object("properties") { properties = try ValueSchema.properties(members) }
        try checkKeywords(reader)
        if pattern != nil, maxLength == nil { maxLength = Pattern.impliedLength }
        try checkRange(reader)
        allowed = try words(&reader)
    }

    /// The values of `enum`, in normal form. A null among them has no effect, because `type` decides about null.
    private func words(_ reader: inout SchemaReader) throws(SchemaError) -> [JSON]? {
        guard let values = try reader.take("enum", \.array, type: "a list") else { return nil }
        guard !values.isEmpty else { throw reader.error("needs at least one value", at: "enum") }
        var words: [JSON] = []
        for (index, value) in values.enumerated() {
            do throws(Violation) {
                words.append(try normalizedPart(value, of: nil))
            } catch {
                throw reader.error(error.detail, at: "enum/\(index)")
            }
        }
        return words
    }

    private static func bound(_ keyword: String, _ reader: inout SchemaReader) throws(SchemaError) -> Double? {
        try reader.take(
            keyword,
            { json in json.number.flatMap { json.int == nil || Int64(exactly: $0) == json.int ? $0 : nil } },
            type: "a number of at most 2^53, or one that a floating-point number holds exactly")
    }

    private init(whole reader: SchemaReader) throws(SchemaError) {
        var reader = reader
        try self.init(&reader)
        try reader.finish()
    }

    private static func properties(_ reader: SchemaReader) throws(SchemaError) -> [String: ValueSchema] {
        var properties: [String: ValueSchema] = [:]
        for (name, value) in reader.entries() {
            let member = try SchemaReader(file: reader.file, pointer: "\(reader.pointer)/\(name)", value)
            properties[name] = try ValueSchema(whole: member)
        }
        return properties
    }

    /// `"type": "string"` or `"type": ["string", "null"]`.
    private static func type(_ reader: inout SchemaReader) throws(SchemaError) -> (Kind, Bool) {
        let json = reader.take("type")
        var names = json?.string.map { [$0] } ?? json?.array?.compactMap(\.string) ?? []
        let isNullable = names.contains("null")
        names.removeAll { $0 == "null" }
        guard names.count == 1, let kind = Kind(rawValue: names[0]) else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw reader.error("must be one of \(kinds), alone or in a list with null", at: "type")
        }
        return (kind, isNullable)
    }

    private static func pattern(_ reader: inout SchemaReader) throws(SchemaError) -> Pattern? {
        guard let text = try reader.string("pattern") else { return nil }
        do throws(PatternError) {
            return try Pattern(text)
        } catch {
            throw reader.error(error.reason, at: "pattern")
        }
    }
}
