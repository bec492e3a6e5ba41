import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import SyncClientCore
import Synchronization

/// Calls the server application in process: the same responder with its middleware, without sockets.
struct InProcessTransport: Transport {
    private let respond: @Sendable (Request) async throws -> Response

    init(_ application: some ApplicationProtocol) async throws {
        let responder = try await application.responder
        let (channel, logger) = (NIOAsyncTestingChannel(), application.logger)
        respond = { request in
            let source = ApplicationRequestContextSource(channel: channel, logger: logger)
            return try await responder.respond(to: request, context: .init(source: source))
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await respond(Request(request))
        let collector = Collector()
        try await response.body.write(collector)
        let headers = response.headers.map { ($0.name.rawName, $0.value) }
        return TransportResponse(
            status: Int(response.status.code), headers: Dictionary(headers, uniquingKeysWith: { first, _ in first }),
            body: collector.data)
    }

    /// Collects the body of an answer.
    private final class Collector: ResponseBodyWriter {
        private let buffer = Mutex(ByteBuffer())
        var data: Data { buffer.withLock { Data($0.readableBytesView) } }

        func write(_ part: ByteBuffer) async throws { _ = buffer.withLock { $0.writeImmutableBuffer(part) } }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension Request {
    fileprivate init(_ request: TransportRequest) {
        let url = request.url.drop { $0 != ":" }.dropFirst(3)
        let path = url.drop { $0 != "/" }
        var headers = HTTPFields()
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get, scheme: "http", authority: "server",
            path: String(path),
            headerFields: headers)
        self.init(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
    }
}
