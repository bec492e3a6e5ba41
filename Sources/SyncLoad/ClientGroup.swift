import NIOCore
import NIOPosix

/// The clients of one event loop, and their results. Confined to that loop: it needs no locks and no tasks.
final class ClientGroup {
    /// The deadline for an answer.
    static let patience: TimeAmount = .seconds(60)
    /// How often progress is written and late answers are detected.
    private static let interval: TimeAmount = .milliseconds(100)

    let brief: GroupBrief
    let loop: any EventLoop
    let reader: AnswerReader
    var result: GroupResult
    private(set) var isOver = false
    private var clients: [LoadClient] = []
    private var working = 0
    private let done: EventLoopPromise<GroupResult>
    private var inspector: Int?
    private let board: ProgressBoard
    private var shown = LoadProgress()
    private var requests = 0
    private var hasEnded = false

    init(_ brief: GroupBrief, on loop: any EventLoop, _ board: ProgressBoard) {
        self.brief = brief
        self.loop = loop
        self.board = board
        reader = AnswerReader(own: brief.own)
        done = loop.makePromise()
        result = GroupResult(measurements: Measurements(start: .now()))
    }

    var plan: LoadPlan { brief.plan }

    /// Connects the clients, runs them, and returns their results. Fails if a client can't connect.
    func run() -> EventLoopFuture<GroupResult> {
        clients = brief.clients.map { LoadClient($0, of: self) }
        working = clients.count
        tick()
        if plan.profile == .storm { begin() }
        let connections = clients.map { $0.connect() }
        if plan.profile == .storm {
            for (client, connection) in zip(clients, connections) {
                connection.assumeIsolated().whenFailure { client.couldNotConnect($0) }
            }
        } else {
            EventLoopFuture.andAllSucceed(connections, on: loop).assumeIsolated().whenComplete { [self] outcome in
                switch outcome {
                case .success: begin()
                case .failure(let error): end(failing: error)
                }
            }
        }
        return done.futureResult
    }

    private func begin() {
        let start = NIODeadline.now()
        result.measurements = Measurements(
            beginning: start, start: start + .nanoseconds(Int64(plan.warmUp * 1e9)))
        for client in clients { client.begin(at: start) }
        guard case .seconds(let seconds) = plan.extent, plan.profile != .storm else { return }
        loop.assumeIsolated().scheduleTask(deadline: start + .nanoseconds(Int64(seconds * 1e9))) { [self] in stop() }
    }

    /// Stops the clients when the time is over. A drain that is being inspected goes on to its
    /// end; everything else stops at once.
    private func stop() {
        isOver = true
        for client in clients where inspector != client.number { client.leave() }
    }

    /// Whether the drain that the client begins is to be inspected. Only one is inspected at a time. If nobody writes,
    /// the first one is enough for the whole run.
    func mayInspect(_ client: Int) -> Bool {
        guard inspector == nil, plan.profile.writes || result.prints.inspectedDrains == 0 else { return false }
        inspector = client
        return true
    }

    func endInspection(of client: Int) {
        if inspector == client { inspector = nil }
    }

    /// Called when a client has nothing left to do.
    func clientLeft(_ client: LoadClient) {
        endInspection(of: client.number)
        shown.finishedClients += 1
        working -= 1
        if working == 0 { end() }
    }

    /// Counts an answer. After the end of the run, it counts only as progress.
    func record(
        _ kind: LoadKind, from begun: NIODeadline, to now: NIODeadline, bytes: Int = 0, rows: Int = 0
    ) {
        requests += 1
        if !isOver { result.measurements.record(kind, from: begun, to: now, bytes: bytes, rows: rows) }
    }

    private func tick() {
        guard !hasEnded else { return }
        look()
        loop.assumeIsolated().scheduleTask(in: Self.interval) { [self] in tick() }
    }

    private func look() {
        let now = NIODeadline.now()
        for client in clients { client.checkPatience(now) }
        let mistakes = result.mistakes.count
        board.add(
            requests: requests - shown.requests, mistakes: mistakes - shown.mistakes,
            finishedClients: shown.finishedClients)
        shown.requests = requests
        shown.mistakes = mistakes
        shown.finishedClients = 0
    }

    private func end(failing error: (any Error)? = nil) {
        guard !hasEnded else { return }
        hasEnded = true
        look()
        for client in clients { client.dismiss() }
        // The clients hold a reference to the group.
        clients = []
        if let error { done.fail(error) } else { done.succeed(result) }
    }
}
