import SyncProtocol
import SyncSchema

/// The schemas that endpoint descriptions are built from.
enum Schema {
    static let text: JSON = ["type": "string"]
    static let flag: JSON = ["type": "boolean"]
    static let integer: JSON = ["type": "integer"]
    static let instant: JSON = ["type": "string", "format": "date-time"]
    static let nullableInstant: JSON = ["type": ["string", "null"], "format": "date-time"]
    static let nullableText: JSON = ["type": ["string", "null"]]

    /// Any value.
    static let anything: JSON = [:]

    /// The id of a row.
    static let id = reference("ID")

    /// A commit number: 0..2^53-1.
    static let commit: JSON = ["type": "integer", "minimum": 0, "maximum": .int(SyncSeq.maximum.rawValue)]

    /// A `WireEncoding`.
    static let encoding: JSON = ["enum": .array(WireEncoding.allCases.map { .string($0.rawValue) }), "default": "json"]

    /// Exactly this text.
    static func constant(_ text: String) -> JSON { ["const": .string(text)] }

    /// A reference to a component schema, by its name.
    static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }

    static func orNull(_ schema: JSON) -> JSON { ["anyOf": [schema, ["type": "null"]]] }

    static func list(_ element: JSON) -> JSON { ["type": "array", "items": element] }

    /// An object whose member names come from the client or from the data.
    static func map(_ value: JSON) -> JSON { ["type": "object", "additionalProperties": value] }

    /// An object with these members, all of them required except `optional`. A closed object
    /// refuses other members. An object with a title becomes a component of that name.
    static func object(
        _ members: [String: JSON], optional: Set<String> = [], isClosed: Bool = false, summary: String? = nil,
        title: String? = nil
    ) -> JSON {
        var schema: [String: JSON] = ["type": "object", "properties": .object(members)]
        let required = members.keys.filter { !optional.contains($0) }.sorted()
        if !required.isEmpty { schema["required"] = .array(required.map(JSON.string)) }
        if isClosed { schema["additionalProperties"] = false }
        schema["description"] = summary.map(JSON.string)
        schema["title"] = title.map(JSON.string)
        return .object(schema)
    }

    /// One page of a list, with these members besides its own.
    static func page(of element: JSON, with more: [String: JSON] = [:], title: String? = nil) -> JSON {
        let members = [
            "results": list(element),
            "next": nullableText.described("Send it as `after` to get the next page. Null on the last page."),
        ]
        return object(members.merging(more) { $1 }, title: title)
    }
}

extension JSON {
    /// The schema with this description.
    func described(_ text: String) -> JSON {
        var members = object ?? [:]
        members["description"] = .string(text)
        return .object(members)
    }
}
