import Foundation
import NIOCore
import NIOPosix

/// One request on its own connection, before or after the load.
struct Fetch: Sendable {
    let target: LoadTarget
    let loop: any EventLoop

    /// The response to a GET. Throws a `LoadError` when there is none.
    func get(_ path: String, token: String) async throws -> (status: Int, body: ByteBuffer) {
        var plan = LoadPlan(target: target, profile: .get)
        plan.target = target.with(path: path)
        plan.acceptsGzip = false
        let request = RequestWriter(plan, token: token).get()
        return try await answer(to: request)
    }

    /// Returns when a connection succeeds. Throws after `seconds` seconds.
    func awaitServer(patience seconds: Double) async throws {
        let deadline = NIODeadline.now() + .nanoseconds(Int64(seconds * 1e9))
        while true {
            do {
                return try await ClientBootstrap(group: loop).connect(host: target.host, port: target.port).get()
                    .close().get()
            } catch {
                guard NIODeadline.now() < deadline else { throw LoadError.unreachable(target, error) }
                try await loop.scheduleTask(in: .milliseconds(20)) {}.futureResult.get()
            }
        }
    }

    private func answer(to request: ByteBuffer) async throws -> (status: Int, body: ByteBuffer) {
        let answer = loop.makePromise(of: (status: Int, body: ByteBuffer).self)
        do {
            let channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(OneAnswer(request, answer))
                    }
                }
                .connect(host: target.host, port: target.port).get()
            defer { channel.close(promise: nil) }
            return try await answer.futureResult.get()
        } catch {
            answer.fail(error)
            throw error as? LoadError ?? .unreachable(target, error)
        }
    }
}

/// Sends a request and waits for the complete response.
private final class OneAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let promise: EventLoopPromise<(status: Int, body: ByteBuffer)>
    private let request: ByteBuffer
    private var parser = AnswerParser()
    private var status = 0
    private var body = ByteBuffer()

    init(_ request: ByteBuffer, _ promise: EventLoopPromise<(status: Int, body: ByteBuffer)>) {
        self.request = request
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(Self.wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.append(Self.unwrapInboundIn(data))
        do throws(AnswerParser.Malformed) {
            while let event = try parser.next() { take(event) }
        } catch {
            promise.fail(LoadError("The server does not speak HTTP/1.1: \(error.what)."))
        }
    }

    private func take(_ event: AnswerParser.Event) {
        switch event {
        case .head(let head): status = head.status
        case .body(var part): body.writeBuffer(&part)
        case .end: promise.succeed((status, body))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(LoadError("The server closed the connection without an answer."))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }
}

extension LoadError {
    static func unreachable(_ target: LoadTarget, _ error: any Error) -> LoadError {
        let cause = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        let reason = (cause as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(cause)"
        return LoadError("No connection to \(target.authority): \(reason). Is the server running?")
    }
}

extension LoadTarget {
    fileprivate func with(path: String) -> LoadTarget { LoadTarget(host: host, port: port, path: path) }
}

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

    /// The request for a page of a drain, or with `isStream` for all of it. `size` is in rows.
    func page(since: Int64, cursor: String?, size: Int?, isStream: Bool = false) -> ByteBuffer {
        var request = ByteBuffer()
        request.reserveCapacity(512)
        request.writeString("GET ")
        request.writeString(sync)
        request.writeString("?since=\(since)&page_size=\(size ?? Self.usualPageSize)")
        if isStream { request.writeStaticString("&stream=true") }
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
        var request = ByteBuffer()
        var body = body
        request.reserveCapacity(512 + body.readableBytes)
        request.writeString("POST ")
        request.writeString(sync)
        request.writeString(ending)
        request.writeString("Content-Type: application/json\r\nContent-Length: \(body.readableBytes)\r\n\r\n")
        request.writeBuffer(&body)
        return request
    }
}
