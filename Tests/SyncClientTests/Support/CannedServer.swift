import NIOCore
import NIOPosix

/// Answers every request on a loopback port with the same bytes.
/// Without any bytes it accepts requests and never answers, or closes the connection.
struct CannedServer {
    private let channel: any Channel
    let url: String

    /// With `closes`, it closes the connection after the bytes.
    init(_ bytes: [UInt8], closes: Bool = false) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(bytes: bytes, closes: closes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/"
    }

    init(_ text: String, closes: Bool = false) async throws { try await self.init(Array(text.utf8), closes: closes) }

    func close() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let bytes: [UInt8]
        let closes: Bool

        init(bytes: [UInt8], closes: Bool) {
            self.bytes = bytes
            self.closes = closes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if !bytes.isEmpty { context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil) }
            if closes { context.close(promise: nil) }
        }
    }
}
