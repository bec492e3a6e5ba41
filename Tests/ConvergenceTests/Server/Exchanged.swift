import SyncClientCore
import SyncProtocol

/// A request and its answer, without what each server seals with a key of its own.
struct Exchanged: Equatable, CustomStringConvertible, Sendable {
    let description: String

    init(_ request: TransportRequest, _ response: TransportResponse) {
        let path = request.url.split(separator: "&").filter { !$0.hasPrefix("cursor=") }.joined(separator: "&")
        let head = response.headers["tidemark-head"] ?? "-"
        description = "\(request.method.rawValue) \(path): \(response.status), head \(head)\n\(Self.text(response))"
    }

    /// The body with its members in their order, `next_cursor` left out.
    private static func text(_ response: TransportResponse) -> String {
        let body = String(decoding: response.body, as: UTF8.self)
        return body.replacing(#/"next_cursor":"[^"]*"/#, with: "\"next_cursor\":…")
    }
}
