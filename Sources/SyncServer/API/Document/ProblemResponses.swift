import HTTPTypes
import SyncProtocol

/// The answers that are problem documents: one component for each status and set of codes, shared by the endpoints.
struct ProblemResponses {
    let components: [String: JSON]

    init(_ endpoints: [Endpoint]) {
        var components: [String: JSON] = [:]
        for (status, codes) in endpoints.flatMap(\.codesByStatus) {
            components[ProblemResponses.name(status, codes)] = ProblemResponses.response(status, codes)
        }
        self.components = components
    }

    /// Where an operation finds the component.
    static func reference(_ status: HTTPResponse.Status, _ codes: [ErrorCode]) -> String {
        "#/components/responses/\(name(status, codes))"
    }

    private static func name(_ status: HTTPResponse.Status, _ codes: [ErrorCode]) -> String {
        ([String(status.code)] + codes.map(\.rawValue)).joined(separator: ".")
    }

    private static func response(_ status: HTTPResponse.Status, _ codes: [ErrorCode]) -> JSON {
        let values = JSON.array(codes.map { .string($0.rawValue) })
        let narrowed: JSON = ["properties": ["code": ["enum": values]]]
        let schema: JSON = ["allOf": [Schema.reference("Problem"), narrowed]]
        var members: [String: JSON] = [
            "description": .string(
                "\(status.reasonPhrase): " + codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")),
            "content": ["application/problem+json": ["schema": schema]],
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
