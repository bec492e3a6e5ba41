import NIOCore
import NIOPosix

/// One client with its connection. It sends what the script orders and gives it the answers. Everything
/// happens in callbacks of the event loop.
final class LoadClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A request that waits for its answer.
    struct Pending {
        let order: ClientScript.Order
        /// When the request was due.
        let begun: NIODeadline
        let sent: NIODeadline
        var head = AnswerHead()
        var body = AnswerBody.whole(ByteBuffer())
        var bytes = 0
    }

    /// The number of failures in a row after which a client gives up.
    private static let failureLimit = 5

    let number: Int
    let group: ClientGroup
    private let writer: RequestWriter
    var script: ClientScript
    private var pace: Pace
    private var parser = AnswerParser()
    private var context: ChannelHandlerContext?
    private var pending: Pending?
    /// The request to send when it is due and the client is connected.
    private var unsent: (order: ClientScript.Order, due: NIODeadline)?
    /// What broke the connection, if known.
    private var trouble = ""
    private(set) var drainBegun = NIODeadline.now()
    private var failures = 0
    private var hasBegun = false
    private var hasLeft = false
    /// The hash of the first response to a plain GET.
    var plainPrint: UInt64?

    init(_ number: Int, of group: ClientGroup) {
        self.number = number
        self.group = group
        let plan = group.plan
        writer = RequestWriter(plan, token: plan.tokens.isEmpty ? "" : plan.tokens[number % plan.tokens.count])
        script = ClientScript(number: number, plan: plan, mark: group.brief.mark, watermark: group.brief.watermark)
        pace = Pace(rate: nil, client: number, of: plan.clients, from: .now())
    }

    // MARK: The connection

    /// Connects. Succeeds when the connection is open.
    func connect() -> EventLoopFuture<Void> {
        parser = AnswerParser()
        let bound = NIOLoopBound(self, eventLoop: group.loop)
        let target = group.plan.target
        return ClientBootstrap(group: group.loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 128 << 10))
            // Most answers arrive in one piece, so a second read would find nothing.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
            }
            .connect(host: target.host, port: target.port)
            .map { _ in }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if hasLeft { return context.close(promise: nil) }
        if hasBegun { proceed() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        if !hasLeft { lost() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        trouble = "\(error)"
        context.close(promise: nil)
    }

    func close() { context?.close(promise: nil) }

    /// Called when the connection is lost. The client connects again.
    private func lost() {
        if pending != nil { fail(Mistake("The connection was closed before the answer was complete.", trouble)) }
        if !hasLeft { reconnect() }
    }

    /// Called when the first connection failed.
    func couldNotConnect(_ error: any Error) {
        fail(Mistake("A client could not connect.", "\(error)"))
        leave()
    }

    private func reconnect() {
        connect().assumeIsolated().whenFailure { [self] error in
            fail(Mistake("A client could not connect again.", "\(error)"))
            guard !hasLeft else { return }
            group.loop.assumeIsolated().scheduleTask(in: .milliseconds(100)) { [self] in
                if !hasLeft { reconnect() }
            }
        }
    }

    // MARK: The work

    /// Starts the client's work: at once, or as soon as it is connected.
    func begin(at start: NIODeadline) {
        hasBegun = true
        drainBegun = start
        pace = Pace(rate: group.plan.rate, client: number, of: group.plan.clients, from: start)
        if context != nil { proceed() }
    }

    private func proceed() {
        guard !hasLeft, pending == nil else { return }
        let now = NIODeadline.now()
        guard let (order, due) = unsent ?? next(now) else { return leave() }
        unsent = (order, due)
        if due > now {
            group.loop.assumeIsolated().scheduleTask(deadline: due) { [self] in proceed() }
        } else if let context {
            unsent = nil
            pending = Pending(order: order, begun: due, sent: now)
            send(order, context)
        }
    }

    private func next(_ now: NIODeadline) -> (order: ClientScript.Order, due: NIODeadline)? {
        let isNew = script.isIdle
        guard let order = script.next(inspect: { group.mayInspect(number) }) else { return nil }
        let due = pace.next(now: now)
        if isNew, group.plan.profile != .storm { drainBegun = due }
        return (order, due)
    }

    private func send(_ order: ClientScript.Order, _ context: ChannelHandlerContext) {
        if case .upload(let batch) = order { group.result.sentRows += batch.ids.count }
        context.writeAndFlush(Self.wrapOutboundOut(request(order)), promise: nil)
    }

    private func request(_ order: ClientScript.Order) -> ByteBuffer {
        switch order {
        case .page(let since, let cursor): writer.page(since: since, cursor: cursor, size: group.plan.pageSize)
        case .upload(let batch): writer.post(batch.body)
        case .get: writer.get()
        }
    }

    func checkPatience(_ now: NIODeadline) {
        guard let pending, now - pending.sent > ClientGroup.patience else { return }
        fail(Mistake("No answer within a minute."))
        close()
    }

    /// Ends the client's work.
    func leave() {
        guard !hasLeft else { return }
        dismiss()
        group.clientLeft(self)
    }

    /// Closes the connection. Nothing that arrives later counts.
    func dismiss() {
        hasLeft = true
        pending = nil
        close()
    }

    private func fail(_ mistake: Mistake) {
        group.result.mistakes.note(mistake)
        group.endInspection(of: number)
        script.abandon()
        pending = nil
        failures += 1
        if failures >= Self.failureLimit || group.isOver { leave() }
    }

    // MARK: Answers

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.append(Self.unwrapInboundIn(data))
        do throws(AnswerParser.Malformed) {
            while let event = try parser.next() { take(event) }
        } catch {
            fail(Mistake("An answer is not HTTP/1.1.", error.what))
            context.close(promise: nil)
        }
    }

    private func take(_ event: AnswerParser.Event) {
        switch event {
        case .head(let head):
            guard pending != nil else { return }
            let body = body(for: head)
            pending?.head = head
            pending?.body = body
        case .body(let part):
            pending?.bytes += part.readableBytes
            pending?.body.append(part)
        case .end: finish()
        }
    }

    private func body(for head: AnswerHead) -> AnswerBody {
        guard head.status == 200, let order = pending?.order else { return .whole(ByteBuffer()) }
        switch order {
        case .get: return .plain(XXHash64())
        case .page(let since, _) where since == 0 && !head.isGzip && !script.isInspecting:
            return .stream(PageStream(own: group.reader.patterns))
        case .page, .upload: return .whole(ByteBuffer())
        }
    }

    private func finish() {
        guard let answer = pending else { return }
        let now = NIODeadline.now()
        pending = nil
        do throws(Mistake) {
            try judge(answer, now)
            failures = 0
        } catch {
            fail(error)
        }
        guard !hasLeft else { return }
        if group.isOver, script.isIdle { return leave() }
        if answer.head.keepsAlive { proceed() } else { close() }
    }
}
