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
        case .page(let since, let cursor, let isStream):
            writer.page(since: since, cursor: cursor, size: group.plan.pageSize, isStream: isStream)
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
        case .page(let since, _, _) where since == 0 && !head.isGzip && !script.isInspecting:
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

/// Checks answers for mistakes of the server, and counts them.
extension LoadClient {
    func judge(_ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        if case .page(_, _, isStream: true) = answer.order, answer.head.status == 503 { return script.refuseStream() }
        guard answer.head.status == 200 else { throw answer.body.refusal(answer.head, group.reader) }
        switch answer.order {
        case .page: try judgePage(answer, now)
        case .upload(let batch): try judgeUpload(batch, answer: answer, at: now)
        case .get: try judgePlain(answer, now)
        }
    }

    private func judgePage(_ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        guard case .page(let since, let cursor, _) = answer.order else { return }
        let (facts, scan) = try page(answer, isInspected: script.isInspecting)
        if since == 0, cursor == nil, !group.result.prints.mayBegin(at: facts.timestamp) {
            throw Mistake("A drain ended without a digest, although nothing was written.", "at \(facts.timestamp)")
        }
        let rows = max(0, facts.rowsSoFar - script.rowsSoFar)
        let ended = try script.take(facts)
        group.record(since == 0 ? .page : .poll, from: answer.begun, to: now, bytes: answer.bytes, rows: rows)
        guard let ended else { return }
        if !ended.counts { group.result.uncounted += 1 }
        if ended.isColdStart {
            group.record(.drain, from: drainBegun, to: now, rows: ended.rowsSoFar)
            end(ended, scan)
        } else {
            group.result.polls += 1
        }
    }

    private func page(
        _ answer: Pending, isInspected: Bool
    ) throws(Mistake) -> (facts: PageFacts, scan: PageScan?) {
        switch answer.body {
        case .stream(var stream):
            guard let facts = stream.finish() else { throw Mistake("The end of a page can't be read.") }
            return (facts, nil)
        case .whole(let body) where isInspected:
            return try group.reader.page(body, isGzip: answer.head.isGzip) { [self] in script.inspect($0) }
        case .whole(let body): return try group.reader.page(body, isGzip: answer.head.isGzip)
        case .plain: throw Mistake("A page can't be read.")
        }
    }

    /// Takes a complete drain from 0.
    private func end(_ drain: Drain, _ scan: PageScan?) {
        guard let timestamp = drain.timestamp else { return }
        guard var inspection = drain.inspection, let scan else {
            return group.result.prints.add(drain.prints, at: timestamp, hasDigest: drain.hasDigest)
        }
        inspection.finish(scan.digest)
        group.result.mistakes += inspection.mistakes
        group.result.prints.addInspected(
            drain.prints, at: timestamp, hasDigest: drain.hasDigest, rows: inspection.rows, empty: scan.emptyPrint)
        group.result.markedRows = inspection.markedRows
        group.result.timestamp = max(group.result.timestamp, timestamp)
        group.endInspection(of: number)
    }

    private func judgeUpload(_ batch: UploadBatch, answer: Pending, at now: NIODeadline) throws(Mistake) {
        guard case .whole(let body) = answer.body else { return }
        let commit = try UploadAnswer.commit(group.reader.text(body, isGzip: answer.head.isGzip), of: batch)
        try script.take(commit: commit)
        group.result.acknowledgedRows += batch.ids.count
        group.result.uploads += 1
        group.record(.upload, from: answer.begun, to: now, bytes: answer.bytes, rows: batch.ids.count)
    }

    private func judgePlain(_ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        guard case .plain(let hash) = answer.body else { return }
        script.takeBytes()
        group.record(.get, from: answer.begun, to: now, bytes: answer.bytes)
        let first = plainPrint ?? hash.value
        plainPrint = first
        guard hash.value == first else { throw Mistake("The URL returned different bytes.") }
    }
}

/// When a client's requests are due. In an open loop each request has its own time, whether or not the one before was
/// answered, and its latency counts from that time. Otherwise a server that stalls would get fewer requests just then
/// and look good ("coordinated omission", Gil Tene).
struct Pace {
    private let interval: TimeAmount?
    private var due: NIODeadline

    /// `rate` is in requests per second for all `clients` together; their requests are
    /// spread evenly. Nil for a closed loop.
    init(rate: Double?, client: Int, of clients: Int, from start: NIODeadline) {
        guard let rate else {
            interval = nil
            due = start
            return
        }
        let nanoseconds = Double(clients) / rate * 1e9
        interval = .nanoseconds(Int64(nanoseconds))
        due = start + .nanoseconds(Int64(nanoseconds * Double(client) / Double(clients)))
    }

    /// When the next request is due. In a closed loop that is now.
    mutating func next(now: NIODeadline) -> NIODeadline {
        guard let interval else { return now }
        defer { due = due + interval }
        return due
    }
}
