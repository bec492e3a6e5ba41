import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends a connection after an answer that is sent before the request's body has
/// come, and after an answer for which either side asks for `Connection: close`.
///
/// A client that is cut off while it sends may never see the answer (RFC 9112 section 9.6). So the
/// rest of the request is read and discarded. Then the connection is closed in the sending direction,
/// and completely when the client closes it too. All of this takes no longer than `linger`.
final class LingeringClose: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        /// Parts pass through.
        case open
        /// The answer under way is the last one.
        case ending
        /// The last answer is written. Whatever still comes is discarded.
        case ended
    }

    private let linger: TimeAmount
    private var state = State.open
    private var request = RequestProgress()
    private var hangUp: Scheduled<Void>?

    init(linger: TimeAmount) { self.linger = linger }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request.take(unwrapInboundIn(data))
        guard state == .ended else { return context.fireChannelRead(data) }
        sayGoodbye(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The next handler asks for no more, but a client that can't send does not read the answer either.
        if state == .ended { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        // After an end without an answer.
        case _ where state == .ended: promise?.succeed()
        case .head(var head):
            begin(&head)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where state == .ending:
            end(context, data: data, promise: promise)
        case .end:
            request.answered()
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        }
    }

    private func begin(_ head: inout HTTPResponse) {
        guard head.status.kind != .informational else {
            if head.status == .continue { request.invited() }
            return
        }
        guard request.endsConnection || head.headerFields[.connection] == "close" else { return }
        head.headerFields[.connection] = "close"
        state = .ending
    }

    /// `linger` begins when the whole answer has been sent, which may take long.
    private func end(_ context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        state = .ended
        let written = promise ?? context.eventLoop.makePromise()
        context.writeAndFlush(data, promise: written)
        written.futureResult.assumeIsolated().whenSuccess { [self] in
            scheduleHangUp(context)
            sayGoodbye(context)
            context.read()
        }
    }

    /// Closes the sending direction if the request is complete. `hangUp` is set once the answer has been sent.
    private func sayGoodbye(_ context: ChannelHandlerContext) {
        if hangUp != nil, request.isComplete { context.close(mode: .output, promise: nil) }
    }

    /// Ends the connection without an answer to the request that is under way. What was written before reaches the
    /// client, also if that still sends.
    static func endUnanswered(_ channel: any Channel) {
        channel.triggerUserOutboundEvent(End(), promise: nil)
    }

    private struct End {}

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is End else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        guard state != .ended else { return }
        state = .ended
        context.flush()
        context.close(mode: .output, promise: nil)
        scheduleHangUp(context)
        context.read()
    }

    private func scheduleHangUp(_ context: ChannelHandlerContext) {
        hangUp = context.eventLoop.assumeIsolated().scheduleTask(in: linger) { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if state == .ended, event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// An error in bytes that are discarded is ignored.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        request.broke()
        guard state == .ended else { return context.fireErrorCaught(error) }
        sayGoodbye(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        hangUp?.cancel()
    }
}

/// How much of the requests on a connection has come. This decides how an answer ends.
struct RequestProgress {
    /// The most bytes of a body that are read to keep a connection whose request was
    /// answered early. Some HTTP clients report a failure if a connection ends before they
    /// have sent everything, even after an answer. A body may be only just above its limit.
    static let tolerated = 2 * JSONBody.maximumBytes

    /// Requests that have begun and have no complete answer.
    private var unanswered = 0
    /// Bytes of the last request's body that are still to come; nil if the request does not say. 0 after its end.
    private var missing: Int? = 0
    /// Whether the client sends no body until it is asked for it.
    private var isWaiting = false
    private var asksToClose = false

    /// A part of a request has come.
    mutating func take(_ part: HTTPRequestPart) {
        switch part {
        case .head(let head):
            unanswered += 1
            missing = head.bodyLength
            isWaiting = head.expectsInvitation && missing != 0
            asksToClose = head.asksToClose
        case .body(let bytes):
            missing = missing.map { $0 - bytes.readableBytes }
            isWaiting = false
        case .end:
            missing = 0
            isWaiting = false
        }
    }

    /// The client has been asked for its body.
    mutating func invited() { isWaiting = false }

    /// The rest can't be parsed.
    mutating func broke() { missing = 0 }

    /// An answer has been written to its end.
    mutating func answered() { unanswered = max(0, unanswered - 1) }

    /// Whether the whole body has come.
    var isComplete: Bool { missing == 0 }

    /// Whether the answer that begins now is the last one. If another request is
    /// unanswered too, this one is complete, because the other one followed it.
    var endsConnection: Bool {
        guard unanswered == 1 else { return false }
        return asksToClose || isWaiting || missing.map { $0 > Self.tolerated } ?? true
    }
}

extension HTTPRequest {
    fileprivate var asksToClose: Bool {
        guard let options = headerFields[.connection] else { return false }
        return options.lowercased().split(separator: ",").contains { $0.trimming(while: \.isWhitespace) == "close" }
    }

    /// The length of the body in bytes; nil if the request does not say.
    var bodyLength: Int? {
        if headerFields[.transferEncoding] != nil { return nil }
        guard let length = headerFields[.contentLength] else { return 0 }
        return Int(length) ?? .max
    }
}
