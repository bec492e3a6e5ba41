import HTTPTypes
package import SyncProtocol
package import SyncSchema

/// The OpenAPI 3.1 document of a server. It is made from the endpoints, which also define the routes, and from
/// the schema files. It holds only the component schemas that an endpoint refers to, directly or through others.
package struct OpenAPIDocument: Sendable {
    let endpoints: [Endpoint]
    /// The component schemas by name: the last part of `#/components/schemas/NAME`.
    let schemas: [String: JSON]
    package let json: JSON

    /// The document of everything that a server with these collections serves.
    package init(_ registry: Registry) { self.init(Endpoint.served(registry), registry) }

    init(_ endpoints: [Endpoint], _ registry: Registry) {
        var named = NamedSchemas()
        let example = UploadExample(registry)
        var components = OpenAPIDocument.schemas(registry).mapValues { named.namingParts(of: $0) }
        let endpoints = endpoints.map { named.naming($0) }
        components.merge(named.components) { first, _ in first }
        self.endpoints = endpoints.map { $0.showing(example, SampleValue(schemas: components, isWhole: true)) }
        let paths = OpenAPIDocument.paths(self.endpoints, components)
        let responses = ProblemResponses(endpoints).components
        schemas = components.reachable(from: [paths, .object(responses)])
        json = [
            "openapi": "3.1.0", "info": OpenAPIDocument.info(registry), "servers": [["url": "/api/v1"]],
            "security": [["bearer": []]], "tags": OpenAPIDocument.tags(endpoints), "paths": paths,
            "components": [
                "schemas": .object(schemas), "responses": .object(responses),
                "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    private static func info(_ registry: Registry) -> JSON {
        [
            "title": "Tidemark", "version": .string(Release.version), "x-schema-version": .string(registry.version),
            "summary": "A self-hosted sync server for offline-first project-management apps.",
        ]
    }

    private static func schemas(_ registry: Registry) -> [String: JSON] {
        registry.collections.map { CollectionSchemas(collection: $0).components }
            .reduce(into: WireSchemas(registry: registry).components) { $0.merge($1) { first, _ in first } }
    }

    private static func tags(_ endpoints: [Endpoint]) -> JSON {
        var seen: Set<Endpoint.Tag> = []
        return .array(
            endpoints.map(\.tag).filter { seen.insert($0).inserted }
                .map { ["name": .string($0.name), "description": .string($0.summary)] })
    }

    private static func paths(_ endpoints: [Endpoint], _ schemas: [String: JSON]) -> JSON {
        var paths: [String: [String: JSON]] = [:]
        for endpoint in endpoints {
            paths[endpoint.path, default: [:]][endpoint.method.rawValue.lowercased()] = endpoint.operation(schemas)
        }
        return .object(paths.mapValues(JSON.object))
    }
}

extension Endpoint {
    /// Gives pull and upload, the two calls of a sync, examples that belong together.
    fileprivate func showing(_ upload: UploadExample?, _ sample: SampleValue) -> Endpoint {
        guard let upload else { return self }
        var endpoint = self
        switch id {
        case Endpoint.upload.id: endpoint.example = Example(body: upload.body, answer: upload.answer)
        case "pull": endpoint.example = Example(answer: upload.page(sample))
        default: break
        }
        return endpoint
    }
}

extension [String: JSON] {
    /// The members that `roots` refer to, directly or through other members.
    fileprivate func reachable(from roots: [JSON]) -> [String: JSON] {
        var found: [String: JSON] = [:]
        var waiting = roots.flatMap(\.referencedSchemas)
        while let name = waiting.popLast() {
            guard found[name] == nil, let schema = self[name] else { continue }
            found[name] = schema
            waiting += schema.referencedSchemas
        }
        return found
    }
}

extension JSON {
    /// The names of the component schemas that this value refers to, at any depth.
    fileprivate var referencedSchemas: [String] {
        switch self {
        case .array(let elements): elements.flatMap(\.referencedSchemas)
        case .object(let members):
            members.values.flatMap(\.referencedSchemas) + (members["$ref"]?.schemaName.map { [$0] } ?? [])
        default: []
        }
    }

    /// The component's name, if this text is a reference to a component schema.
    var schemaName: String? {
        string.flatMap { $0.hasPrefix("#/components/schemas/") ? String($0.dropFirst(21)) : nil }
    }
}
