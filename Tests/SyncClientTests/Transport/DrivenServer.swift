import Foundation
import NIOCore
import NIOPosix

/// A server on a loopback port whose test answers, piece by piece.
struct DrivenServer {
    private let channel: any Channel
    let url: String
    private let peers: AsyncStream<Peer>

    init() async throws {
        let (peers, joined) = AsyncStream.makeStream(of: Peer.self)
        self.peers = peers
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (requests, came) = AsyncStream.makeStream(of: String.self)
                    try channel.pipeline.syncOperations.addHandler(Handler(came))
                    joined.yield(Peer(channel: channel, requests: requests))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/"
    }

    /// The next client that has connected.
    func peer() async throws -> Peer {
        for await peer in peers { return peer }
        throw CancellationError()
    }

    func close() async throws { try await channel.close() }

    /// A client.
    struct Peer: Sendable {
        fileprivate let channel: any Channel
        fileprivate let requests: AsyncStream<String>

        /// Its next request, or a part of one, as text.
        func request() async throws -> String {
            for await request in requests { return request }
            throw CancellationError()
        }

        func send(_ text: String) async throws { try await send(ByteBuffer(string: text)) }

        func send(_ bytes: ByteBuffer) async throws { try await channel.writeAndFlush(bytes) }

        func close() async throws { try await channel.close() }

        /// Returns when the client has closed the connection.
        func hasLeft() async { try? await channel.closeFuture.get() }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let came: AsyncStream<String>.Continuation

        init(_ came: AsyncStream<String>.Continuation) { self.came = came }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            came.yield(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) { came.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
