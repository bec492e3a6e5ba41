import HTTPTypes
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// One operation of the API. Its route and its description are both made from this value, so they can't differ.
///
/// Schemas are JSON Schema in the dialect of OpenAPI 3.1. `Schema` makes them.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// As in docs/protocol.md: `/projects/{project}/sync/`.
    let path: String
    /// Further paths that answer the same. The document does not list them.
    var otherPaths: [String] = []
    /// The `operationId`; unique.
    let id: String
    let tag: Tag
    /// One phrase or short sentence. `details` adds whole sentences.
    let summary: String
    var details = ""
    /// Whether the endpoint needs no token.
    var isOpen = false
    var parameters: [Parameter] = []
    /// Whether the endpoint is a list. A list refuses unknown query parameters,
    /// because a misspelled filter would otherwise return every row.
    var isList = false
    /// Whether the handler asks for itself what `Accept` allows, because it answers with several kinds of files.
    var answersFiles = false
    /// Whether the body is a file's bytes, which are not held in memory, and required.
    var takesBytes = false
    /// The schema of the JSON body, which is then required; nil if there is no body.
    var body: JSON?
    /// The successful answers.
    var answers: [Answer]
    /// The error codes that are specific to this endpoint. `codes` adds those that follow from its form.
    var ownCodes: [ErrorCode] = []
    /// An example that says more than a generated one would; nil for a generated one.
    var example: Example?

    /// Where an endpoint answers.
    struct Paths: Sendable {
        /// The path that the document lists.
        let first: String
        let others: [String]

        /// A collection of an own schema, if there is one with that name, keeps the first path for its rows.
        init(_ paths: [String], keptBy collection: Collection? = nil) {
            let free = Array(paths.dropFirst(collection == nil ? 0 : 1))
            first = free[0]
            others = Array(free.dropFirst())
        }

        /// A sentence about the other paths, with a space before it; empty without any.
        var sentence: String {
            others.isEmpty ? "" : " Answers at \(others.map { "`\($0)`" }.joined(separator: ", ")) too."
        }
    }

    /// A body, and the answer to it.
    struct Example: Sendable {
        var body: JSON?
        let answer: JSON
    }

    /// A group of endpoints.
    struct Tag: Sendable, Hashable {
        let name: String
        let summary: String
    }

    /// A part of the request other than the body.
    struct Parameter: Sendable {
        enum Place: String, Sendable { case path, query, header }

        let name: String
        let place: Place
        let schema: JSON
        let summary: String
        /// Whether the value is a list. It is sent as one value, separated by commas.
        var isList = false
        /// Whether the value may be empty, which means null.
        var mayBeEmpty = false
    }

    /// A successful answer.
    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let summary: String
        /// The body's schema; nil if there is no body.
        var schema: JSON?
        var mediaType = "application/json"
        /// The headers that this answer has besides those of every answer.
        var headers: [Header] = []
    }

    struct Header: Sendable {
        let name: String
        let schema: JSON
        let summary: String
        /// Whether every such answer has it.
        var isAlwaysThere = true
    }
}

extension Endpoint {
    /// Every error code that the endpoint can answer with, sorted by name.
    var codes: [ErrorCode] {
        var codes = Set(ownCodes + [.internalError])
        if !isOpen { codes.formUnion([.unauthorized, .busy]) }
        if method != .get { codes.formUnion([.outcomeUnknown, .diskFull]) }
        if !mediaTypes.isEmpty { codes.insert(.notAcceptable) }
        if body != nil {
            codes.formUnion([
                .invalidJSON, .invalidBody, .bodyTooLarge, .unsupportedMediaType, .unsupportedContentEncoding,
            ])
        }
        if parameters.contains(where: { $0.place == .query }) { codes.insert(.invalidParameter) }
        // Filters by text can make a path and query too long. No other request gets that long.
        if isList { codes.insert(.uriTooLong) }
        return codes.sorted { $0.rawValue < $1.rawValue }
    }

    /// The only query parameters that the endpoint takes, sorted; nil if it ignores others.
    var onlyParameters: [String]? {
        isList ? parameters.filter { $0.place == .query }.map(\.name).sorted() : nil
    }

    /// The codes by their HTTP status, lowest status first.
    var codesByStatus: [(status: HTTPResponse.Status, codes: [ErrorCode])] {
        Dictionary(grouping: codes, by: \.status.code).sorted { $0.key < $1.key }
            .map { (HTTPResponse.Status(code: $0.key), $0.value) }
    }
}

extension Endpoint.Parameter {
    static let project = Endpoint.Parameter(
        name: "project", place: .path, schema: Schema.id, summary: "The project's id.")

    static func id(_ summary: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: "id", place: .path, schema: Schema.id, summary: summary)
    }

    static func query(_ name: String, _ schema: JSON, summary: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: name, place: .query, schema: schema, summary: summary)
    }

    static func header(_ name: String, _ schema: JSON, summary: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: name, place: .header, schema: schema, summary: summary)
    }

    /// `limit` and `after`, which every list takes.
    static let keyset: [Endpoint.Parameter] = [
        query(
            "limit", ["type": "integer", "minimum": 1, "default": 100],
            summary: "The most results. A number above 500 counts as 500."
        ),
        query("after", Schema.text, summary: "The `next` of the previous page."),
    ]

    /// The filters of a list, and `sort`.
    static func selection(of collection: Collection) -> [Endpoint.Parameter] {
        let key = "-?[a-z][a-z0-9_]*"
        let sort = query(
            "sort", ["type": "string", "pattern": .string("^\(key)(,\(key)){0,\(ListQuery.maximumKeys - 1)}$")],
            summary:
                "Up to \(ListQuery.maximumKeys) of the fields below, separated by commas. "
                + "A leading `-` sorts descending."
        )
        return [sort] + collection.listFields.map { filter($0, in: collection) }
    }

    private static func filter(_ field: Field, in collection: Collection) -> Endpoint.Parameter {
        let rule = "Only rows with this value." + (field.value.isNullable ? " An empty value means null." : "")
        var parameter = query(field.name, FieldSchema(field, in: collection).ofValue, summary: rule)
        parameter.mayBeEmpty = field.value.isNullable
        return parameter
    }

    static let ifNoneMatch = header(
        "If-None-Match", Schema.text,
        summary: "The `ETag` of the client's copy. The answer is 304 if nothing has changed.")

    /// The two ways to name the version that an edit is based on.
    static let preconditions: [Endpoint.Parameter] = [
        header(
            "If-Match", Schema.text,
            summary: "The `ETag` of the version that was edited, for example `\"3\"`, or `*`."),
        header("X-Base-Version", ["type": "integer", "minimum": 1], summary: "The same as a number, for example `3`."),
    ]

    static let dryRun = query(
        "dry_run", ["type": "boolean", "default": false],
        summary: "`true`: delete nothing, and answer how many rows would go.")

    static let idempotencyKey = header(
        "Idempotency-Key", ["type": "string", "minLength": 1, "maxLength": 255],
        summary: "Send the same key with every retry of a request. A retry then gets the first answer again.")
}

extension Endpoint.Answer {
    /// 200 with a body.
    static func ok(_ summary: String, _ schema: JSON, headers: [Endpoint.Header] = []) -> Endpoint.Answer {
        Endpoint.Answer(status: .ok, summary: summary, schema: schema, headers: headers)
    }

    static let noContent = Endpoint.Answer(status: .noContent, summary: "Done.")

    static let notModified = Endpoint.Answer(
        status: .notModified, summary: "The client's copy is current.", headers: [.eTag])
}

extension Endpoint.Header {
    static let eTag = Endpoint.Header(
        name: "ETag", schema: Schema.text, summary: "The value to send in `If-None-Match`.")

    static let rowETag = Endpoint.Header(
        name: "ETag", schema: ["type": "string", "pattern": "^\"[0-9]+\"$"],
        summary: "The row's `server_version` in quotes, for `If-Match` and `If-None-Match`.")

    static let location = Endpoint.Header(name: "Location", schema: Schema.text, summary: "The path to request next.")

    static let idempotentReplayed = Endpoint.Header(
        name: "Idempotent-Replayed", schema: ["const": "true"],
        summary: "Present if the answer is that of an earlier request.", isAlwaysThere: false)
}

extension Endpoint {
    /// The codes that refuse a caller who has no access to the project.
    static let access: [ErrorCode] = [.notFound, .projectDeleted, .notAMember, .membershipRevoked]

    /// The codes that refuse a write by a caller who has too few rights in the project.
    static let write: [ErrorCode] = access + [.readOnlyToken, .forbidden, .projectArchived]
}

extension Endpoint {
    /// All endpoints of a server, in the order in which people read about them. A test checks that they are the routes.
    static func served(_ registry: Registry) -> [Endpoint] {
        [
            pull(registry), upload, userPull(registry), uploadAll, digest(registry), userDigest(registry), listRejected,
            dismissRejected, listAllRejected, dismissAnyRejected, events,
        ] + files(registry) + devices(registry) + [
            explain(registry), status(registry), audit(registry), listLostEdits(registry),
        ]
            + storageEndpoints(registry) + upkeep(registry) + people(registry) + accounts
            + registry.collections.flatMap { items(of: $0) + [history(of: $0, registry)] }
            + [schemas, frontDoor, health, ready, metrics, openAPI, docs, console(registry), client(registry)]
    }
}
