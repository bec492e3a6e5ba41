import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends a connection behind an answer that comes before its request's body, and where either side asks for
/// `Connection: close`.
///
/// A client that is cut off while it sends may never see the answer (RFC 9112 section 9.6). So what still comes is read and
/// thrown away, up to the end of the request, then the connection is closed by half, and wholly when the client hangs up too.
/// All that for no longer than `linger`.
final class LingeringClose: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        /// Parts go through.
        case open
        /// The answer under way is the last one.
        case ending
        /// It is written; what still comes is thrown away.
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
        // Nobody behind asks for more any longer, but a client that can't send does not read the answer either.
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

    /// `linger` begins when the client has been sent the whole answer, which may be long.
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

    /// `hangUp` is there once the answer is on its way.
    private func sayGoodbye(_ context: ChannelHandlerContext) {
        if hangUp != nil, request.isComplete { context.close(mode: .output, promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if state == .ended, event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// What is wrong with bytes that are thrown away concerns nobody.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        request.broke()
        guard state == .ended else { return context.fireErrorCaught(error) }
        sayGoodbye(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        hangUp?.cancel()
    }
}
