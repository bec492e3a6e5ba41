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

/// Moves each nested schema that has a title into a component of that
/// name. Code generated from the document then has a type for it.
struct NamedSchemas {
    /// The schemas moved so far, by title.
    private(set) var components: [String: JSON] = [:]

    /// The endpoint with its objects replaced by references. An object without a title is named after the endpoint.
    mutating func naming(_ endpoint: Endpoint) -> Endpoint {
        var endpoint = endpoint
        let name = endpoint.id.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        endpoint.body = endpoint.body.map { naming($0, else: name + "Body") }
        for index in endpoint.answers.indices {
            endpoint.answers[index].schema = endpoint.answers[index].schema.map { naming($0, else: name + "Answer") }
        }
        return endpoint
    }

    private mutating func naming(_ schema: JSON, else name: String) -> JSON {
        guard schema["properties"] != nil, schema["title"] == nil else { return naming(schema) }
        var members = schema.object ?? [:]
        members["title"] = .string(name)
        return naming(.object(members))
    }

    /// The schema with every titled schema replaced by a reference, itself included.
    private mutating func naming(_ schema: JSON) -> JSON {
        let schema = namingParts(of: schema)
        guard var members = schema.object, let title = members.removeValue(forKey: "title")?.string else {
            return schema
        }
        components[title] = .object(members)
        return Schema.reference(title)
    }

    /// The schema with every titled schema inside it replaced by a reference.
    mutating func namingParts(of schema: JSON) -> JSON {
        switch schema {
        case .array(let elements): .array(elements.map { naming($0) })
        case .object(let members): .object(members.mapValues { naming($0) })
        default: schema
        }
    }
}
