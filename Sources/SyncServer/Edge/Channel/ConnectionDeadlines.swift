import NIOCore
import NIOHTTPTypes

/// Closes the connection of a client that is too late by the rules of `ConnectionWatch`.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let pause: TimeAmount
    private var watch: ConnectionWatch
    private var look: Scheduled<Void>?

    init(_ limits: EdgeLimits, at now: NIODeadline) {
        pause = limits.pause
        watch = ConnectionWatch(limits, at: now)
    }

    func handlerAdded(context: ChannelHandlerContext) { scheduleLook(context) }

    func handlerRemoved(context: ChannelHandlerContext) { look?.cancel() }

    private func scheduleLook(_ context: ChannelHandlerContext) {
        look = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            let unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            guard !watch.isOverdue(at: context.eventLoop.now, unsent: unsent) else {
                return context.close(promise: nil)
            }
            scheduleLook(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        watch.asked(at: context.eventLoop.now)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        watch.came(unwrapInboundIn(data), at: context.eventLoop.now)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        watch.wrote(unwrapOutboundIn(data), at: context.eventLoop.now)
        context.write(data, promise: promise)
    }
}
