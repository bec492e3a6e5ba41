import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL
import SyncProtocol

/// A connection: HTTP/1.1 with the limits of the edge, inside TLS if there are certificates.
/// A new connection above the limit is closed, so those that are open are not disturbed.
struct EdgeChannel: ServerChildChannel {
    private struct NoFreeSlot: Error {}

    /// The most bytes of an answer that the kernel holds beyond those on their way to the client. Without this
    /// limit, the kernel holds up to 4 MiB of each answer that is not read, and a thousand such clients use up the
    /// machine's memory for TCP (`tcp_wmem` and `tcp_mem` in https://docs.kernel.org/networking/ip-sysctl.html).
    private static let unsentBytes = 128 << 10

    /// How large the pieces of a body are in memory. Several of each request wait for the one who reads it.
    private static let pieces = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 32 << 10)

    private let http: HTTP1Channel
    private let slots: ConnectionLimit
    private let certificates: Certificates?

    init(_ edge: Edge, _ slots: ConnectionLimit, responder: @escaping HTTPChannelHandler.Responder) {
        let limits = edge.limits
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [
                    ConnectionDeadlines(limits, at: .now()), HangUp(), LingeringClose(linger: limits.linger),
                    MalformedRequests(), HeadCoalescing(),
                ]))
        self.slots = slots
        certificates = edge.certificates
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        guard takeSlot(logger) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(NoFreeSlot())
        }
        channel.closeFuture.whenComplete { [slots] _ in if slots.giveBack() { FreeMemory.returnToSystem() } }
        return channel.eventLoop.makeCompletedFuture {
            // If the option can't be set, the kernel's own limits apply.
            let unsent = ChannelOptions.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT))
            try? channel.syncOptions?.setOption(unsent, value: EdgeChannel.unsentBytes)
            try? channel.syncOptions?.setOption(.recvAllocator, value: EdgeChannel.pieces)
            guard let certificates else { return }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificates.context))
        }.flatMap { http.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let handlers = channel.pipeline.syncOperations
            let decoder = try handlers.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try handlers.addHandler(WireHeads(), position: .after(decoder))
            return value
        }
    }

    private func takeSlot(_ logger: Logger) -> Bool {
        switch slots.take() {
        case .taken: return true
        case .full:
            logger.warning(
                "connection limit reached, closing new connections: see TIDEMARK_HTTP_CONNECTIONS",
                metadata: ["limit": .stringConvertible(slots.limit)])
            return false
        case .stillFull: return false
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// Sends the head of an answer together with its body if the body follows at once. Hummingbird flushes between
/// the two, and a packet and a system call for the head alone cost an eighth of all the work for a page.
///
/// A head with a content length is held until the body comes:
/// such bodies are in memory. The head of a stream is not held.
final class HeadCoalescing: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isHeld = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            isHeld = head.headerFields[.contentLength] != nil
        } else {
            isHeld = false
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if !isHeld { context.flush() }
    }
}

/// Says when the client closes the connection, or its sending direction. Requests that are answered at once don't ask.
final class HangUp: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    enum Cause: Sendable {
        case closed
        /// The client acknowledged nothing for the time of `TCP_USER_TIMEOUT`.
        case tookNothing
    }

    private var (hasHungUp, cause) = (false, Cause.closed)
    private var call: (@Sendable (Cause) -> Void)?

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { hungUp() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? IOError)?.errnoCode == ETIMEDOUT { cause = .tookNothing }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hungUp()
        context.fireChannelInactive()
    }

    private func hungUp() {
        hasHungUp = true
        call?(cause)
        call = nil
    }

    /// Calls `body` on the event loop when the client hangs up, or soon if it has. Replaces an earlier call; nil ends
    /// it. Does nothing for a channel that lacks the handler.
    static func watch(_ channel: any Channel, _ body: (@Sendable (Cause) -> Void)?) {
        channel.eventLoop.execute {
            guard let handler = try? channel.pipeline.syncOperations.handler(type: HangUp.self) else {
                if !channel.isActive { body?(.closed) }
                return
            }
            handler.call = handler.hasHungUp ? nil : body
            if handler.hasHungUp { body?(handler.cause) }
        }
    }
}

/// Adds the problem document to the answer to bytes that are not a request. Hummingbird answers them in their
/// turn with a bare 400 and `Connection: close`. This handler replaces that head and sends a body after it.
final class MalformedRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var problem: Problem?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { problem = error == .headerOverflow ? .headersTooLarge : .malformed }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let problem, case .head(let head) = unwrapOutboundIn(data), isBare(head) else {
            return context.write(data, promise: promise)
        }
        let body = ByteBuffer(bytes: problem.document.bytes)
        context.write(wrapOutboundOut(.head(self.head(body.readableBytes))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }

    private func isBare(_ head: HTTPResponse) -> Bool {
        head.status == .badRequest && head.headerFields[.contentType] == nil
    }

    private func head(_ length: Int) -> HTTPResponse {
        var fields: HTTPFields = [.connection: "close", .contentLength: String(length), .server: "tidemark"]
        fields.describe(Problem.mediaType)
        return HTTPResponse(status: .badRequest, headerFields: fields)
    }
}

extension Problem {
    fileprivate static let malformed = Problem(
        .malformedRequest, "This is not a valid HTTP/1.1 request. The connection is closed.")
}

/// Memory that the program has freed and the allocator keeps.
///
/// glibc returns only the end of a heap to the system by itself. Free memory below a block
/// in use stays resident. After 10,000 idle connections that was 100 MB. `malloc_trim(3)`
/// returns such pages, too. If the C library has no such call, nothing happens.
enum FreeMemory {
    private typealias Trim = @convention(c) (Int) -> Int32

    private static let trim: Trim? = {
        let program = UnsafeMutableRawPointer(bitPattern: 0)
        return dlsym(program, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
    }()

    /// Whether the C library has `malloc_trim`.
    static var isReturned: Bool { trim != nil }

    /// Returns free memory to the system, on another thread. Allocations wait meanwhile, for some milliseconds.
    static func returnToSystem() {
        guard let trim else { return }
        DispatchQueue.global(qos: .utility).async { _ = trim(0) }
    }
}
