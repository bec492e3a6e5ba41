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
        case .head(var head):
            begin(&head)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where state == .ending:
            end(context, data, promise)
        case .end:
            request.answered()
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        }
    }

    private func begin(_ head: inout HTTPResponse) {
        guard head.status.kind != .informational else { return request.invited() }
        guard request.endsConnection || head.headerFields[.connection] == "close" else { return }
        head.headerFields[.connection] = "close"
        state = .ending
    }

    /// `linger` begins when the whole answer has been sent, which may take long.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        state = .ended
        let written = promise ?? context.eventLoop.makePromise()
        context.writeAndFlush(data, promise: written)
        written.futureResult.assumeIsolated().whenSuccess { [self] in
            hangUp = context.eventLoop.assumeIsolated().scheduleTask(in: linger) { context.close(promise: nil) }
            sayGoodbye(context)
            context.read()
        }
    }

    /// Closes the sending direction if the request is complete. `hangUp` is set once the answer has been sent.
    private func sayGoodbye(_ context: ChannelHandlerContext) {
        if hangUp != nil, request.isComplete { context.close(mode: .output, promise: nil) }
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
