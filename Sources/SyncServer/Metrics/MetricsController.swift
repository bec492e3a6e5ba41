import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// `GET /metrics`.
struct MetricsController: Sendable {
    let access: MetricsAccess
    let registry: MetricsRegistry

    func metrics(_ request: Request, _ context: ServerContext) async throws -> Response {
        try access.require(request, from: context.peer)
        var reply = Reply(body: ByteBuffer(string: PrometheusText(registry.samples()).text))
        reply.contentType = PrometheusText.contentType
        return reply.response(to: request)
    }
}

/// Who may read the metrics: whoever has the token. If no token is set, whoever asks from the server's own machine.
struct MetricsAccess: Sendable {
    let settings: MetricsSettings
    /// Whether a proxy is trusted. Then a request from this machine may be anybody's.
    var isBehindProxy = false

    /// Throws `not_found` if the metrics are disabled, `unauthorized`
    /// for a wrong token, `forbidden` for another machine.
    func require(_ request: Request, from peer: SocketAddress?) throws {
        guard settings.isEnabled else { throw Problem(.notFound, "This server's metrics are disabled.") }
        if settings.token.isEmpty {
            guard !isBehindProxy, peer?.isLoopback == true, !request.isForwarded else { throw Problem.metricsAreLocal }
            guard isForThisMachine(request) else { throw Problem.metricsHaveAnotherName }
        } else {
            guard let token = request.bearerToken, isRight(token) else { throw Problem.noMetricsToken }
        }
    }

    /// Whether the request names this machine as its host. A page of a foreign site can make its own name lead
    /// to this machine (DNS rebinding) and call it from a browser here, but such a call has the site's name.
    private func isForThisMachine(_ request: Request) -> Bool {
        let authority = request.head.authority?.lowercased() ?? ""
        return ["localhost", "127.0.0.1", "[::1]"].contains { name in
            authority == name
                || authority.hasPrefix(name + ":") && authority.dropFirst(name.count + 1).allSatisfy(\.isNumber)
        }
    }

    /// Compares hashes, so the time that it takes does not show how much of a token was right.
    private func isRight(_ token: String) -> Bool {
        SHA256.hash(data: Data(token.utf8)) == SHA256.hash(data: Data(settings.token.utf8))
    }
}

extension Problem {
    fileprivate static let metricsAreLocal = Problem(
        .forbidden,
        "Without a token, only the server's own machine may read metrics. The operator can set TIDEMARK_METRICS_TOKEN.")
    fileprivate static let metricsHaveAnotherName = Problem(
        .forbidden,
        "Without a token, metrics are served only for the hosts localhost, 127.0.0.1 and [::1]. "
            + "The operator can set TIDEMARK_METRICS_TOKEN."
    )
    fileprivate static let noMetricsToken = Problem(
        .unauthorized, "Send the metrics token that the operator has set: Authorization: Bearer …")
}

extension SocketAddress {
    /// 127.0.0.0/8 and ::1, also if IPv4 comes over an IPv6 socket (RFC 4291 section 2.5.5.2).
    fileprivate var isLoopback: Bool {
        guard let ipAddress else { return false }
        return ipAddress == "::1" || ipAddress.hasPrefix("127.") || ipAddress.hasPrefix("::ffff:127.")
    }
}

/// The operator's settings for `GET /metrics`.
package struct MetricsSettings: Sendable, Equatable {
    /// Whether the metrics are served; `TIDEMARK_METRICS_ENABLED`.
    package var isEnabled = true
    /// The bearer token that is required. If it is empty, only the
    /// server's own machine may ask; `TIDEMARK_METRICS_TOKEN`.
    package var token = ""

    package init() {}
}
