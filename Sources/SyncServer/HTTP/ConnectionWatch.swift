import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// What a connection waits for, and since when: the rules of `ConnectionDeadlines`, without a channel.
///
/// Only the client can be too late. The time that the server needs for an answer does not count, and neither does
/// a body that the server does not ask for. The end of an answer may have to wait until the client reads, so the
/// time of an answer runs from its head. A stream is an answer whose head has no length; it has its own limits.
/// A file may take as long as it likes, as long as it comes at `EdgeLimits.slowestFile`, over each minute in which the
/// server waits for it, and over all of an answer.
/// A stream of events may last as long as it likes, and closes itself if its client does not read.
struct ConnectionWatch {
    private struct Body {
        /// How many bytes are announced, or have come.
        var bytes: Int
        var came = 0
        var began: NIODeadline
        /// When the last part came, or when the server first asked for the next one.
        var moved: NIODeadline
        /// Whether the client waits to be asked for the body (`Expect: 100-continue`).
        var isWaiting: Bool
        /// What has come of a file; nil for other bodies.
        var file: FileFlow?

        mutating func take(_ count: Int) {
            came += count
            bytes = max(bytes, came)
            file?.bytes += count
        }
    }

    private let limits: EdgeLimits
    /// The body of a request whose end has not come yet.
    private var body: Body?
    /// How fast a file comes, over the time in which the server waits for it.
    private struct FileFlow {
        /// How long the server has waited, and what has come in that time.
        var waited = TimeAmount.zero
        var bytes = 0

        static let span = TimeAmount.minutes(1)

        /// Whether too little has come in a minute. `more` is how long the server has waited since something came.
        func isTooSlow(_ more: TimeAmount) -> Bool {
            waited + more >= FileFlow.span && bytes < EdgeLimits.slowestFile * 60
        }

        /// Something has come after the server has waited so long.
        mutating func move(_ more: TimeAmount) {
            waited = waited + more
            if waited >= FileFlow.span, !isTooSlow(.zero) { self = FileFlow() }
        }
    }

    /// Since when the server waits for the next part; nil if it does not.
    private var asked: NIODeadline?
    private var isAsked: Bool { asked != nil }
    /// Requests that have begun and have no complete answer.
    private var unanswered = 0
    private var isStreaming = false
    private var isTellingEvents = false
    /// How long the answer may take at least, since it is a file of some size.
    private var fileTime = TimeAmount.zero
    /// When the last answer began or ended. Before the first answer, when the connection began.
    private var answered: NIODeadline
    /// When something was last written, or last taken by the client.
    private var taken: NIODeadline
    /// Bytes that the client had not taken at the last check.
    private var unsent = 0

    init(_ limits: EdgeLimits, at now: NIODeadline) {
        self.limits = limits
        answered = now
        taken = now
    }

    /// The server asks for the next part of a request.
    mutating func asked(at now: NIODeadline) {
        guard !isAsked else { return }
        asked = now
        body?.moved = now
        // The client does not answer for the time until the server wants the body.
        if body?.came == 0 { body?.began = now }
    }

    /// A part of a request has come.
    mutating func came(_ part: HTTPRequestPart, at now: NIODeadline) {
        let waited = asked.map { now - $0 } ?? .zero
        asked = nil
        switch part {
        case .head(let head):
            unanswered += 1
            body = Body(
                bytes: head.bodyLength ?? 0, began: now, moved: now, isWaiting: head.expectsInvitation,
                file: head.sendsFile ? FileFlow() : nil)
        case .body(let part):
            body?.take(part.readableBytes)
            body?.file?.move(waited)
            body?.moved = now
            body?.isWaiting = false
        case .end: body = nil
        }
    }

    /// The server writes a part of an answer.
    mutating func wrote(_ part: HTTPResponsePart, at now: NIODeadline) {
        taken = now
        switch part {
        case .head(let head) where head.status.kind == .informational:
            if head.status == .continue, let body, body.isWaiting {
                self.body = Body(bytes: body.bytes, began: now, moved: now, isWaiting: false, file: body.file)
            }
        case .head(let head):
            isStreaming = head.headerFields[.contentLength] == nil
            answered = now
            isTellingEvents = head.headerFields[.contentType] == ServerEvent.mediaType
            fileTime = .seconds(Int64(head.fileLength / EdgeLimits.slowestFile))
        case .body: break
        case .end:
            isStreaming = false
            isTellingEvents = false
            answered = now
            unanswered = max(0, unanswered - 1)
        }
    }

    /// Whether the client is too late. `unsent` is the number of bytes that it has not taken yet.
    mutating func isOverdue(at now: NIODeadline, unsent: Int) -> Bool {
        if unsent < self.unsent { taken = now }
        self.unsent = unsent
        if let body, isOverdue(body, at: now) { return true }
        if isTellingEvents { return false }
        if unsent > 0 { return now - taken >= stall || now - answered >= transfer }
        return body == nil && unanswered == 0 && now - answered >= limits.idle
    }

    private var stall: TimeAmount { isStreaming ? limits.streamStall : limits.stall }
    private var transfer: TimeAmount { isStreaming ? limits.streamTransfer : max(limits.transfer, fileTime) }

    private func isOverdue(_ body: Body, at now: NIODeadline) -> Bool {
        if body.isWaiting { return false }
        if let file = body.file, isAsked || body.came > 0 {
            let waiting = asked.map { now - $0 } ?? .zero
            return file.isTooSlow(waiting) || isAsked && now - body.moved >= limits.stall
        }
        let age = now - body.began
        if isAsked, age >= limits.time(forBodyOf: body.bytes) || now - body.moved >= limits.stall { return true }
        return age >= limits.transfer
    }
}

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
