import NIOCore

/// Writes one client's requests, with the parameters and headers that `SyncClient` sends. The parts
/// that never change are built once.
struct RequestWriter: Sendable {
    /// The page size that clients request. It is also the server's default, but clients send it all the same.
    private static let usualPageSize = 1000
    private let sync: String
    private let ending: String
    private let plain: String

    init(_ plan: LoadPlan, token: String) {
        let accepted = plan.profile == .get ? "*/*" : "application/json"
        var headers = "Host: \(plan.target.authority)\r\nUser-Agent: tidemark-load\r\nAccept: \(accepted)\r\n"
        if plan.acceptsGzip { headers += "Accept-Encoding: gzip\r\n" }
        if !token.isEmpty { headers += "Authorization: Bearer \(token)\r\n" }
        for header in plan.headers { headers += "\(header.name): \(header.value)\r\n" }
        sync = "\(plan.target.base)/projects/\(plan.project)/sync/"
        ending = " HTTP/1.1\r\n\(headers)"
        let path = plan.target.path
        plain = "GET \(path.isEmpty ? "/" : path)\(ending)\r\n"
    }

    func get() -> ByteBuffer { ByteBuffer(string: plain) }

    /// The request for a page of a drain. `size` is in rows.
    func page(since: Int64, cursor: String?, size: Int?) -> ByteBuffer {
        var request = ByteBuffer()
        request.reserveCapacity(512)
        request.writeString("GET ")
        request.writeString(sync)
        request.writeString("?since=\(since)&page_size=\(size ?? Self.usualPageSize)")
        if let cursor {
            request.writeStaticString("&cursor=")
            request.writeString(cursor)
        }
        request.writeString(ending)
        request.writeStaticString("\r\n")
        return request
    }

    /// The request that uploads a batch.
    func post(_ body: ByteBuffer) -> ByteBuffer {
        var (request, body) = (ByteBuffer(), body)
        request.reserveCapacity(512 + body.readableBytes)
        request.writeString("POST ")
        request.writeString(sync)
        request.writeString(ending)
        request.writeString("Content-Type: application/json\r\nContent-Length: \(body.readableBytes)\r\n\r\n")
        request.writeBuffer(&body)
        return request
    }
}
