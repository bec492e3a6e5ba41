import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import SyncStore

@testable import SyncServer

/// An event stream on a channel whose time the test moves. Its `hello` has left.
final class StreamLine {
    let stream: EventStream
    private let channel = NIOAsyncTestingChannel()
    private let reader = BlockableReader()
    private let registry = MetricsRegistry()
    private let run: Task<Void, Never>

    init(expiresIn: TimeAmount? = nil, isExpired: Bool = false) async throws {
        try await channel.pipeline.addHandler(reader)
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        let stream = EventStream(channel, EventMetrics(registry))
        self.stream = stream
        run = Task { await stream.run(from: CommitNumber(7), expiresIn: expiresIn) { isExpired } }
        while try await sent().isEmpty { await Task.yield() }
    }

    /// The events that have left since the last call.
    func sent() async throws -> [ReceivedEvent] {
        await channel.testingEventLoop.run()
        var text = ""
        while case .body(let bytes) = try await channel.readOutbound(as: HTTPResponsePart.self) {
            text += String(buffer: bytes)
        }
        return try ReceivedEvent.all(in: &text)
    }

    func advance(_ time: TimeAmount) async { await channel.testingEventLoop.advanceTime(by: time) }

    /// Whether the client stops reading.
    func block(_ isBlocked: Bool) async {
        let reader = reader
        await channel.testingEventLoop.run()
        try? await channel.testingEventLoop.executeInContext { reader.block(isBlocked) }
    }

    func count(_ metric: Metric) -> Double? {
        let sample = registry.samples().first { $0.series.name == metric.name }
        guard case .number(let count)? = sample?.reading else { return nil }
        return count
    }

    /// Returns when the stream has ended.
    func ended() async { await run.value }
}

/// Holds back what is written while the client takes nothing. It is used on the event loop only.
private final class BlockableReader: ChannelOutboundHandler, @unchecked Sendable {
    typealias OutboundIn = HTTPResponsePart

    private var isBlocked = false
    private var context: ChannelHandlerContext?
    private var waiting: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        for (_, promise) in waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
        (self.context, waiting) = (nil, [])
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isBlocked else { return context.write(data, promise: promise) }
        waiting.append((data, promise))
    }

    func block(_ isBlocked: Bool) {
        self.isBlocked = isBlocked
        guard !isBlocked, let context else { return }
        for (data, promise) in waiting { context.writeAndFlush(data, promise: promise) }
        waiting = []
    }
}
