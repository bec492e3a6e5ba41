import SyncProtocol

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
