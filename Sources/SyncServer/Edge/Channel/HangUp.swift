import NIOCore
import NIOHTTPTypes

/// Says when the client closes the connection, or its sending direction. Requests that are answered at once don't ask.
final class HangUp: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private var hasHungUp = false
    private var call: (@Sendable () -> Void)?

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { hungUp() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hungUp()
        context.fireChannelInactive()
    }

    private func hungUp() {
        hasHungUp = true
        call?()
        call = nil
    }

    /// Calls `body` on the event loop when the client hangs up, or soon if it has. Replaces an earlier call; nil ends
    /// it. Does nothing for a channel that lacks the handler.
    static func watch(_ channel: any Channel, _ body: (@Sendable () -> Void)?) {
        channel.eventLoop.execute {
            guard let handler = try? channel.pipeline.syncOperations.handler(type: HangUp.self) else {
                if !channel.isActive { body?() }
                return
            }
            handler.call = handler.hasHungUp ? nil : body
            if handler.hasHungUp { body?() }
        }
    }
}
