import Foundation
import SyncProtocol
import Synchronization

@testable import SyncClientCore

/// A server in memory whose event streams and waiting pulls the test controls.
final class ScriptedTransport: Transport {
    /// An event stream that the client has opened.
    struct Stream: Sendable {
        let request: TransportRequest
        let body: AsyncThrowingStream<Data, any Error>.Continuation

        func send(_ text: String) { body.yield(Data(text.utf8)) }

        func hello() { send("retry: 1000\nevent: hello\ndata: {\"heartbeat_s\": 25, \"expires_in\": null}\n\n") }
    }

    let server: FakeServer
    private let status: Int
    private let token: Mutex<String>
    private let log = Mutex<[TransportRequest]>([])
    private let opened: AsyncStream<Stream>.Continuation
    private let streams: AsyncStream<Stream>
    private let releases: Mutex<Int> = Mutex(0)

    /// `status` is that of the answer to those who open a stream. Only requests with `token` are served.
    init(_ server: FakeServer, status: Int = 200, token: String = "t") {
        self.server = server
        self.status = status
        self.token = Mutex(token)
        (streams, opened) = AsyncStream<Stream>.makeStream()
    }

    /// The pulls and uploads until now, without the requests for the schema.
    var pulls: [String] { log.withLock { $0 }.map(\.url).filter { $0.contains("/sync/") } }

    /// The next stream that the client opens.
    func stream() async throws -> Stream {
        for await stream in streams { return stream }
        throw CancellationError()
    }

    /// Answers the pull that is held next, or that is held now.
    func release() { releases.withLock { $0 += 1 } }

    /// Serves requests with this token only.
    func accept(_ token: String) { self.token.withLock { $0 = token } }

    private func isRefused(_ request: TransportRequest) -> Bool {
        request.headers["Authorization"] != "Bearer \(token.withLock { $0 })"
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if isRefused(request) { return .problem(401, .unauthorized) }
        log.withLock { $0.append(request) }
        while request.url.contains("wait=") {
            try Task.checkCancellation()
            let isReleased = releases.withLock { count in
                guard count > 0 else { return false }
                count -= 1
                return true
            }
            if isReleased { break }
            await Task.yield()
        }
        return try await server.send(request)
    }

    func open(_ request: TransportRequest) async throws -> TransportStream? {
        let (body, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let status = isRefused(request) ? 401 : status
        if status == 200 {
            opened.yield(Stream(request: request, body: continuation))
        } else {
            continuation.yield(TransportResponse.problem(status, status == 401 ? .unauthorized : .notFound).body)
            continuation.finish()
        }
        let headers = ["Content-Type": status == 200 ? "text/event-stream" : "application/problem+json"]
        return TransportStream(status: status, headers: headers, body: body)
    }
}
