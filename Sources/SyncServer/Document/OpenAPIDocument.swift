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

extension Endpoint {
    /// The operation object of the document. `schemas` are the
    /// document's component schemas, from which examples are made.
    func operation(_ schemas: [String: JSON]) -> JSON {
        var members: [String: JSON] = [
            "operationId": .string(id), "tags": [.string(tag.name)], "summary": .string(summary),
            "responses": .object(responses(schemas)),
        ]
        if !details.isEmpty { members["description"] = .string(details) }
        if isOpen { members["security"] = [] }
        if !parameters.isEmpty { members["parameters"] = .array(parameters.map(\.json)) }
        if let body {
            let content: JSON = ["schema": body, "example": bodyExample(schemas) ?? .null]
            members["requestBody"] = ["required": true, "content": ["application/json": content]]
        }
        if takesBytes { members["requestBody"] = ["required": true, "content": ["application/octet-stream": [:]]] }
        return .object(members)
    }

    /// A body that a client may send; nil if the endpoint takes none.
    func bodyExample(_ schemas: [String: JSON]) -> JSON? {
        example?.body ?? body.map { SampleValue(schemas: schemas).of($0) }
    }

    /// An answer that the endpoint may give; nil if it is not JSON.
    func answerExample(_ schemas: [String: JSON]) -> JSON? {
        guard let answer = answers.first(where: { $0.schema != nil }), answer.mediaType == "application/json",
            let schema = answer.schema
        else { return nil }
        return example?.answer ?? SampleValue(schemas: schemas, isWhole: true).of(schema)
    }

    private func responses(_ schemas: [String: JSON]) -> [String: JSON] {
        var responses: [String: JSON] = [:]
        for answer in answers { responses[String(answer.status.code)] = answer.json(answerExample(schemas)) }
        for (status, codes) in codesByStatus {
            responses[String(status.code)] = ProblemResponses.response(status, codes)
        }
        return responses
    }
}

extension Endpoint.Parameter {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "name": .string(name), "in": .string(place.rawValue), "schema": schema, "description": .string(summary),
        ]
        if place == .path { members["required"] = true }
        if isList { members["explode"] = false }
        if mayBeEmpty { members["allowEmptyValue"] = true }
        return .object(members)
    }
}

extension Endpoint.Answer {
    fileprivate func json(_ example: JSON?) -> JSON {
        var members: [String: JSON] = ["description": .string(summary)]
        if let schema {
            var content: [String: JSON] = ["schema": schema]
            if mediaType == "application/json" { content["example"] = example }
            members["content"] = .object([mediaType: .object(content)])
        }
        if !headers.isEmpty { members["headers"] = headers.json }
        return .object(members)
    }
}

extension [Endpoint.Header] {
    /// The headers object of a response.
    var json: JSON {
        .object(
            Dictionary(
                uniqueKeysWithValues: map {
                    let header: JSON = [
                        "description": .string($0.summary), "schema": $0.schema, "required": .bool($0.isAlwaysThere),
                    ]
                    return ($0.name, header)
                }))
    }
}

/// The answers that are problem documents. An answer with a single code is a component
/// named after that code, which endpoints share. All have one schema, so generated code
/// has one type for them. `x-codes` lists the codes that an endpoint can answer with.
struct ProblemResponses {
    let components: [String: JSON]

    init(_ endpoints: [Endpoint]) {
        let shared = endpoints.flatMap(\.codesByStatus).filter { $0.codes.count == 1 }
        components = Dictionary(
            shared.map { (ProblemResponses.name($0.codes[0]), ProblemResponses.whole($0.status, $0.codes)) }
        ) { $1 }
    }

    /// The response object of an operation.
    static func response(_ status: HTTPResponse.Status, _ codes: [ErrorCode]) -> JSON {
        guard codes.count == 1 else { return whole(status, codes) }
        return ["$ref": .string("#/components/responses/\(name(codes[0]))")]
    }

    private static func name(_ code: ErrorCode) -> String {
        code.rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func whole(_ status: HTTPResponse.Status, _ codes: [ErrorCode]) -> JSON {
        let names = codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        var members: [String: JSON] = [
            "description": .string("\(codes[0].status.reasonPhrase): \(names)"),
            "content": ["application/problem+json": ["schema": Schema.reference("Problem")]],
            "x-codes": .array(codes.map { .string($0.rawValue) }),
        ]
        if let header = header(status) { members["headers"] = [header].json }
        return .object(members)
    }

    private static func header(_ status: HTTPResponse.Status) -> Endpoint.Header? {
        switch status {
        case .unauthorized:
            Endpoint.Header(name: "WWW-Authenticate", schema: Schema.text, summary: "How to authenticate, RFC 6750.")
        case .serviceUnavailable, .tooManyRequests:
            Endpoint.Header(
                name: "Retry-After", schema: ["type": "integer", "minimum": 0],
                summary: "Seconds to wait before the next try.")
        default: nil
        }
    }
}
