import CoreMetrics
import Foundation
import NIOCore
import NIOHTTPTypes
import SyncEngine
import SyncProtocol
import SyncStore
import Synchronization

/// An open event stream. Events are written on the connection's event loop, without a task for each.
///
/// What has not left yet is in one slot, where pokes merge. The first poke leaves at once, later ones at least 100 ms
/// apart, and never before the one ahead of it was taken, so a slow client gets one line instead of a queue.
final class EventStream: Sendable {
    private struct State {
        /// Commits that were not told yet.
        var news: NewCommits?
        /// The id of the last poke; until the first one, the head at the start.
        var last = CommitNumber.first
        /// Why and how the stream ends, once it has to.
        var end: (reason: ServerEvent.End, retry: Int)?
        /// Whether a write was not taken yet. Nothing leaves before the `hello`.
        var isWriting = true
        var writes = 0
        /// When the next poke may leave, and whether that is scheduled.
        var next = NIODeadline.uptimeNanoseconds(0)
        var isScheduled = false
        /// When the stream is so old that it ends.
        let oldAt: NIODeadline
        var (ping, expiry): (Scheduled<Void>?, Scheduled<Void>?)
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?

        init(at now: NIODeadline) { oldAt = now + .milliseconds(EventStream.day / 10 * .random(in: 9...11)) }

        /// Whether the server stops while a write is not taken.
        var mustNotWait: Bool { isWriting && writes > 0 && !isOver && end?.reason == .restart }
    }

    private static let day: Int64 = 24 * 3_600_000
    /// The least time between two pokes.
    private static let pause = TimeAmount.milliseconds(100)
    /// How long a write may wait for the client.
    static let stall = TimeAmount.seconds(30)

    private let channel: any Channel
    private let metrics: EventMetrics
    private let state: Mutex<State>

    init(_ channel: any Channel, _ metrics: EventMetrics) {
        self.channel = channel
        self.metrics = metrics
        state = Mutex(State(at: channel.eventLoop.now))
    }

    // MARK: What others tell

    /// Tells the client of commits, as soon as it may be told.
    func poke(_ commits: NewCommits) {
        let wasThere = state.withLock { state in
            defer { state.news = state.news?.merged(with: commits) ?? commits }
            return state.news != nil
        }
        if wasThere { return metrics.merged.increment() }
        channel.eventLoop.execute { self.flush() }
    }

    /// Ends the stream with a `bye`. The first reason counts.
    func end(_ reason: ServerEvent.End, retryMilliseconds: Int = .random(in: 1000...5000)) {
        state.withLock { $0.end = $0.end ?? (reason, retryMilliseconds) }
        channel.eventLoop.execute { self.flush() }
    }

    /// Ends the stream at once, because the client is gone.
    func cut(_ end: HangUp.Cause) {
        if end == .tookNothing { metrics.slow.increment() }
        finish()
    }

    // MARK: Running

    /// Sends `hello`, and then what it is told of. Returns when the last byte is sent or the client is gone. The token
    /// is valid for `expiresIn`. With each ping, `isExpired` is asked too, because a timer does not notice that the
    /// clock was set.
    func run(
        from head: CommitNumber, expiresIn: TimeAmount?, isExpired: @escaping @Sendable () -> Bool = { false }
    ) async {
        let hello = ServerEvent.hello(expiresIn: expiresIn.map { $0.nanoseconds / 1_000_000_000 }, head: head)
        state.withLock { $0.last = head }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiter = continuation }
                    return state.isOver
                }
                guard !isOver else { return continuation.resume() }
                channel.eventLoop.execute { self.begin(hello, expiresIn: expiresIn, isExpired: isExpired) }
            }
        } onCancel: {
            finish()
        }
        let (ping, expiry) = state.withLock { ($0.ping, $0.expiry) }
        ping?.cancel()
        expiry?.cancel()
    }

    private func begin(
        _ hello: ServerEvent, expiresIn: TimeAmount?, isExpired: @escaping @Sendable () -> Bool
    ) {
        // A client that has vanished acknowledges nothing: https://datatracker.ietf.org/doc/html/rfc5482. If the option
        // can't be set, the kernel gives up after its own time.
        let timeout = ChannelOptions.tcpOption(.init(rawValue: TCP_USER_TIMEOUT))
        try? channel.syncOptions?.setOption(timeout, value: Int(Self.stall.nanoseconds / 1_000_000))
        write(hello)
        if let expiresIn {
            let timer = channel.eventLoop.scheduleTask(in: expiresIn) { [weak self] () -> Void in
                self?.end(.tokenExpired)
            }
            state.withLock { $0.expiry = timer }
        }
        ping(isExpired)
    }

    private func ping(_ isExpired: @escaping @Sendable () -> Bool) {
        let pause = TimeAmount.milliseconds(.random(in: 20_000...Int64(ServerEvent.heartbeat) * 1000))
        let timer = channel.eventLoop.scheduleTask(in: pause) { [weak self] in
            guard let self, !state.withLock({ $0.isOver }) else { return }
            let last = state.withLock { $0.isWriting ? nil : $0.last }
            if let last { write(.ping(last: last)) }
            let now = channel.eventLoop.now
            if state.withLock({ $0.oldAt <= now }) { end(.maximumAge) }
            if isExpired() { end(.tokenExpired) }
            ping(isExpired)
        }
        state.withLock { $0.ping = timer }
    }

    /// Writes what is due, if the client has taken what was written before.
    private func flush() {
        let now = channel.eventLoop.now
        if state.withLock({ $0.mustNotWait }) {
            // The server stops, and does not wait for a client that takes nothing.
            channel.close(promise: nil)
            return finish()
        }
        let event = state.withLock { state -> ServerEvent? in
            guard !state.isWriting, !state.isOver else { return nil }
            if let end = state.end { return .bye(end.reason, retryMilliseconds: end.retry) }
            guard let news = state.news, !state.isScheduled else { return nil }
            guard state.next <= now else {
                state.isScheduled = true
                return nil
            }
            state.news = nil
            state.last = max(state.last, news.number)
            state.next = now + Self.pause
            return .poke(news)
        }
        guard let event else { return scheduleFlush() }
        write(event)
    }

    private func scheduleFlush() {
        let next = state.withLock { $0.isScheduled ? $0.next : nil }
        guard let next else { return }
        channel.eventLoop.scheduleTask(deadline: next) { [weak self] in
            self?.state.withLock { $0.isScheduled = false }
            self?.flush()
        }
    }

    private func write(_ event: ServerEvent) {
        let number = state.withLock { state in
            state.isWriting = true
            state.writes += 1
            return state.writes
        }
        let written = channel.writeAndFlush(HTTPResponsePart.body(event.bytes))
        written.whenComplete { [self] result in
            state.withLock { $0.isWriting = false }
            switch (result, event) {
            case (.failure, _), (_, .bye): return finish()
            case (_, .poke(let commits)): metrics.poked(commits.heardAt)
            case (_, .hello), (_, .ping): break
            }
            flush()
        }
        // Most writes are taken at once.
        guard state.withLock({ $0.isWriting && $0.writes == number }) else { return }
        channel.eventLoop.scheduleTask(in: Self.stall) { [weak self] () -> Void in self?.closeIfStalled(number) }
    }

    private func closeIfStalled(_ number: Int) {
        let isStalled = state.withLock { $0.isWriting && $0.writes == number && !$0.isOver }
        guard isStalled else { return }
        metrics.slow.increment()
        channel.close(promise: nil)
        finish()
    }

    private func finish() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isOver = true
            return state.waiter
        }
        waiter?.resume()
    }
}

extension NewCommits {
    func merged(with other: NewCommits) -> NewCommits {
        var merged = self
        merged.merge(other)
        return merged
    }
}

/// One event of a stream, in the form of https://html.spec.whatwg.org/multipage/server-sent-events.html
enum ServerEvent {
    /// Why a stream ends.
    enum End: String, Sendable {
        case restart
        case tokenExpired = "token_expired"
        case revoked
        case maximumAge = "max_age"
    }

    case hello(expiresIn: Int64?, head: CommitNumber)
    case poke(NewCommits)
    /// `last` is the id of the last poke.
    case ping(last: CommitNumber)
    case bye(End, retryMilliseconds: Int)

    static let mediaType = "text/event-stream"
    /// The longest pause between two events, in seconds.
    static let heartbeat = 25

    var bytes: ByteBuffer { ByteBuffer(string: text) }

    private var text: String {
        switch self {
        case .hello(let expiresIn, let head):
            let data: JSON = [
                "heartbeat_s": .int(Int64(Self.heartbeat)), "expires_in": expiresIn.map(JSON.int) ?? .null,
                "head": .int(head.watermark),
            ]
            return "retry: \(Int.random(in: 1000...5000))\nevent: hello\ndata: \(data.text)\n\n"
        case .poke(let commits):
            var data = commits.heads.mapValues { JSON.int($0.rawValue) }
            if commits.spreadMilliseconds > 0 { data["_spread_ms"] = .int(Int64(commits.spreadMilliseconds)) }
            return "id: \(commits.number.watermark)\nevent: poke\ndata: \(JSON.object(data).text)\n\n"
        case .ping(let last): return "id: \(last.watermark)\nevent: ping\ndata: {}\n\n"
        case .bye(let reason, let retry):
            let data: JSON = ["reason": .string(reason.rawValue), "retry_ms": .int(Int64(retry))]
            return "event: bye\ndata: \(data.text)\n\n"
        }
    }
}
