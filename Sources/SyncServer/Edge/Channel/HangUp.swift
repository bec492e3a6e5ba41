import Foundation
import NIOCore
import NIOHTTPTypes

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
