import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncEngine
import SyncProtocol

/// A whole drain as one answer: like a page if it is short, otherwise in chunks.
///
/// If a stream breaks, its connection is closed without the chunk of length 0 that
/// ends a body (RFC 9112 section 8), so no client takes the answer for complete.
struct StreamReply: Sendable {
    let stream: PullStream
    let channel: any Channel
    let logger: Logger
    /// Called when everything is sent, or will be with the answer.
    let whenSent: @Sendable () -> Void

    func response(to request: Request) -> Response {
        if stream.isWhole {
            var reply = Reply(body: stream.first)
            reply.headers[.tidemarkHead] = stream.head.description
            whenSent()
            return reply.response(to: request)
        }
        var headers: HTTPFields = [.tidemarkHead: stream.head.description]
        headers.describe("application/json; charset=utf-8")
        if request.acceptsGzip { headers[.contentEncoding] = "gzip" }
        let response = Response(status: .ok, headers: headers, body: body(packs: request.acceptsGzip))
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func body(packs: Bool) -> ResponseBody {
        ResponseBody { [self] writer in
            // If the client does not read, sending waits. Only closing the connection ends that.
            stream.onCut(close)
            defer { stream.abandon() }
            try await send(&writer, packs ? try Self.packer() : nil)
            try await writer.finish(nil)
            whenSent()
        }
    }

    private func close(for error: any Error) {
        switch error as? StreamCut {
        case .stalled: logger.notice("stream cut off: the client does not read")
        case .outgrown: logger.notice("stream cut off: too much was written while the client was reading")
        case .abandoned, nil: logger.error("stream failed", metadata: ["error": "\(error)"])
        }
        channel.close(promise: nil)
    }

    @concurrent private func send(_ writer: inout any ResponseBodyWriter, _ packer: GzipStream?) async throws {
        var (bytes, isLast) = (stream.first, false)
        while true {
            try await writer.write(packer?.pack(bytes, isLast: isLast) ?? bytes)
            if isLast { return }
            (bytes, isLast) = try await stream.next()
        }
    }

    private static func packer() throws -> GzipStream {
        guard let packer = GzipStream(.once) else {
            throw Problem(.busy, "The server has no memory left to compress the answer. Try again.")
        }
        return packer
    }
}
