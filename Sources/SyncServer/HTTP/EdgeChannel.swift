import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// A connection: HTTP/1.1 with the limits of the edge, inside TLS if there are certificates.
/// A new connection above the limit is closed, so those that are open are not disturbed.
struct EdgeChannel: ServerChildChannel {
    private struct NoFreeSlot: Error {}

    /// The most bytes of an answer that the kernel holds beyond those on their way to the client. Without this
    /// limit, the kernel holds up to 4 MiB of each answer that is not read, and a thousand such clients use up the
    /// machine's memory for TCP (`tcp_wmem` and `tcp_mem` in https://docs.kernel.org/networking/ip-sysctl.html).
    private static let unsentBytes = 128 << 10

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
