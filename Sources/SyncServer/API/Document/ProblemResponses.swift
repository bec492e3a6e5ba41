import HTTPTypes
import SyncProtocol

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
