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
