import NIOCore
import NIOPosix

/// A connection on which a test writes and reads raw bytes. Tests that use it
/// have a time limit, because they wait that long for bytes that never come.
final class RawConnection: Sendable {
    /// Held, so the server runs as long as a test may talk to it.
    private let server: TestServer
    private let channel: any Channel
    private let received: Received

    /// With `readsOnDemand`, nothing is read before the test asks for it.
    init(_ server: TestServer, readsOnDemand: Bool = false) async throws {
        let received = Received()
        (self.server, self.received) = (server, received)
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: !readsOnDemand)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(received))
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
    }

    deinit { channel.close(promise: nil) }

    /// Returns when the bytes have been sent; does nothing if the server has closed the connection.
    func send(_ text: String) async { await send(Array(text.utf8)) }

    func send(_ bytes: some Collection<UInt8>) async {
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// What has come, as soon as `mark` is in it, or when the server closes the connection.
    func received(until mark: String) async -> String { await received.text { $0.contains(mark) } }

    /// Everything that comes until the server closes the connection.
    func receivedUntilTheEnd() async -> String { await received.text { _ in false } }

    /// Reads from now on.
    func startReading() async { try? await channel.setOption(.autoRead, value: true).get() }
}

/// What has come so far.
private actor Received {
    private var text = ""
    private var isOver = false
    private var waiting: CheckedContinuation<Void, Never>?

    func take(_ part: String) { change { text += part } }

    func end() { change { isOver = true } }

    private func change(_ change: () -> Void) {
        change()
        waiting?.resume()
        waiting = nil
    }

    /// Only one task at a time may call this.
    func text(until isEnough: (String) -> Bool) async -> String {
        while !isOver, !isEnough(text) { await withCheckedContinuation { waiting = $0 } }
        return text
    }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Event { case bytes(String), end }

    private let events: AsyncStream<Event>.Continuation

    init(_ received: Received) {
        let (stream, events) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        Task {
            for await event in stream {
                switch event {
                case .bytes(let text): await received.take(text)
                case .end: await received.end()
                }
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        events.yield(.bytes(String(buffer: unwrapInboundIn(data))))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { finish() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish()
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { finish() }

    private func finish() {
        events.yield(.end)
        events.finish()
    }
}
