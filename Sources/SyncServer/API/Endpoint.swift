import HTTPTypes
import SyncProtocol
import SyncSchema

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
        if method != .get { codes.insert(.outcomeUnknown) }
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
