import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection: HTTP/1.1 with the limits of the edge, inside TLS where there are certificates. Beyond the most
/// connections the newest is closed, so that those that are there are served on.
struct EdgeChannel: ServerChildChannel {
    private struct NoPlace: Error {}

    /// Bytes of answers that the kernel takes beyond what is on its way to the client. Without a limit that is up to 4
    /// MiB of each answer that is not read, and a thousand such clients have all of the machine's memory for TCP
    /// (`tcp_wmem` and `tcp_mem` in https://docs.kernel.org/networking/ip-sysctl.html).
    private static let unsentBytes = 128 << 10

    private let http: HTTP1Channel
    private let places: ConnectionLimit
    private let certificates: Certificates?

    init(_ edge: Edge, _ places: ConnectionLimit, responder: @escaping HTTPChannelHandler.Responder) {
        let limits = edge.limits
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [
                    ConnectionDeadlines(limits, at: .now()), LingeringClose(linger: limits.linger), MalformedRequests(),
                    HeadCoalescing(),
                ]))
        self.places = places
        certificates = edge.certificates
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        guard takePlace(logger) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(NoPlace())
        }
        channel.closeFuture.whenComplete { [places] _ in if places.giveBack() { FreeMemory.returnToSystem() } }
        return channel.eventLoop.makeCompletedFuture {
            // Where the option can't be set, the kernel's own limits hold.
            let unsent = ChannelOptions.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT))
            try? channel.syncOptions?.setOption(unsent, value: EdgeChannel.unsentBytes)
            guard let certificates else { return }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificates.context))
        }.flatMap { http.setup(channel: channel, logger: logger) }
    }

    private func takePlace(_ logger: Logger) -> Bool {
        switch places.take() {
        case .taken: return true
        case .full:
            logger.warning(
                "no more connections: TIDEMARK_HTTP_CONNECTIONS", metadata: ["limit": .stringConvertible(places.limit)])
            return false
        case .stillFull: return false
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
