import HTTPTypes
import Hummingbird

/// Decides who gets 104. Some proxies take it for the final answer, nginx among them, and the next answer on the
/// connection is lost. So it goes only to clients without a proxy, unless the operator knows better.
struct InterimAnswers: Sendable {
    /// `TIDEMARK_FILES_INTERIM`: to everybody, or to nobody; nil to clients without a proxy.
    let setting: Bool?
    let trustsForwardedFor: Bool

    func go(to request: Request) -> Bool {
        // A proxy that says nothing of itself often closes each connection, and HTTP/1.0 has no interim answers.
        guard request.headers[.connection]?.lowercased() != "close" else { return false }
        return setting ?? !(trustsForwardedFor || request.isForwarded)
    }
}

extension Request {
    /// Headers by which a proxy shows that it forwards somebody else's request.
    private static let proxyHeaders = [
        "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via",
    ].compactMap { HTTPField.Name($0) }

    /// Whether a proxy says that it forwards the request.
    var isForwarded: Bool { Self.proxyHeaders.contains { headers[$0] != nil } }
}
