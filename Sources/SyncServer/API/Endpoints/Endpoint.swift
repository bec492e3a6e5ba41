import HTTPTypes
import SyncProtocol

/// One operation: the source of its route and of its description, so that the two can't drift apart.
///
/// Schemas are JSON Schema as OpenAPI 3.1 takes it; `Schema` makes them.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// As in the contract, with a slash at the end: `/projects/{project}/sync/`.
    let path: String
    /// The `operationId`; unique.
    let id: String
    let tag: Tag
    /// A few words; `details` may follow in whole sentences.
    let summary: String
    var details = ""
    /// Whether it needs no token.
    var isOpen = false
    var parameters: [Parameter] = []
    /// Whether it is a list, which refuses query parameters that it does not have: a filter with a slip of the pen
    /// would else answer every row.
    var isList = false
    /// The schema of the JSON body, which is then required.
    var body: JSON?
    /// The answers that are no problem documents.
    var answers: [Answer]
    /// The codes of its own; `codes` has those as well that follow from the endpoint's form.
    var ownCodes: [ErrorCode] = []
    /// Where a made-up value would say less.
    var example: Example?

    /// A body, and the answer to it.
    struct Example: Sendable {
        var body: JSON?
        let answer: JSON
    }

    /// Groups endpoints.
    struct Tag: Sendable, Hashable {
        let name: String
        let summary: String
    }

    /// A part of the request next to the body.
    struct Parameter: Sendable {
        enum Place: String, Sendable { case path, query, header }

        let name: String
        let place: Place
        let schema: JSON
        let summary: String
        /// A list is sent as one value with commas.
        var isList = false
        /// Whether nothing may stand for the value, and means null.
        var mayBeEmpty = false
    }

    /// What the endpoint says where all is well.
    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let summary: String
        /// Of the body; nil where there is none.
        var schema: JSON?
        var mediaType = "application/json"
        /// Headers with a meaning of their own: name and what it is.
        var headers: [Header] = []
    }

    struct Header: Sendable {
        let name: String
        let schema: JSON
        let summary: String
        /// Whether each answer carries it.
        var isAlwaysThere = true
    }
}

extension Endpoint {
    /// Every code that the endpoint can answer with, in the order of their names.
    var codes: [ErrorCode] {
        var codes = Set(ownCodes + [.internalError])
        if !isOpen { codes.formUnion([.unauthorized, .busy]) }
        if !mediaTypes.isEmpty { codes.insert(.notAcceptable) }
        if body != nil {
            codes.formUnion([
                .invalidJSON, .invalidBody, .bodyTooLarge, .unsupportedMediaType, .unsupportedContentEncoding,
            ])
        }
        if parameters.contains(where: { $0.place == .query }) { codes.insert(.invalidParameter) }
        // Of filters by text; no other request is as long.
        if isList { codes.insert(.uriTooLong) }
        return codes.sorted { $0.rawValue < $1.rawValue }
    }

    /// The query parameters of an endpoint that takes no others.
    var onlyParameters: [String]? {
        isList ? parameters.filter { $0.place == .query }.map(\.name).sorted() : nil
    }

    /// The codes by the status that carries them, lowest first.
    var codesByStatus: [(status: HTTPResponse.Status, codes: [ErrorCode])] {
        Dictionary(grouping: codes, by: \.status.code).sorted { $0.key < $1.key }
            .map { (HTTPResponse.Status(code: $0.key), $0.value) }
    }
}
