import SyncProtocol

@testable import SyncClientCore

/// A watch's state machine at a time that tests set.
struct WatchBench {
    var loop: WatchLoop
    private(set) var now = Duration.zero
    /// The work that the loop has begun and that has not ended.
    private(set) var works: [WatchLoop.Work] = []
    private(set) var opened = 0
    private(set) var said: [WatchState] = []

    init(_ direction: SyncDirection = .both, canRenew: Bool = false, seed: UInt64 = 1) {
        loop = WatchLoop(direction, canRenew: canRenew, seed: seed)
        note(loop.start(at: .zero))
    }

    /// Starts, and gets to a live stream without anything to do.
    static func listening(canRenew: Bool = false, expiresIn: Int? = nil, seed: UInt64 = 1) -> WatchBench {
        var bench = WatchBench(canRenew: canRenew, seed: seed)
        bench.finish()
        bench.hello(expiresIn: expiresIn)
        bench.finish()
        return bench
    }

    private mutating func note(_ actions: [WatchLoop.Action]) {
        for action in actions {
            switch action {
            case .begin(let work): works.append(work)
            case .open: opened += 1
            case .tell(let state): said.append(state)
            default: break
            }
        }
    }

    @discardableResult
    mutating func handle(_ event: WatchLoop.Event) -> [WatchLoop.Action] {
        let actions = loop.handle(event, at: now)
        note(actions)
        return actions
    }

    /// Lets time pass, with all alarms.
    @discardableResult
    mutating func pass(_ duration: Duration) -> [WatchLoop.Action] {
        let end = now + duration
        var actions: [WatchLoop.Action] = []
        while let alarm = loop.alarm, alarm <= end {
            precondition(alarm > now, "an alarm in the past")
            now = alarm
            actions += handle(.alarm)
        }
        now = end
        return actions
    }

    mutating func event(_ name: String, _ data: JSON, retry: Duration? = nil) -> [WatchLoop.Action] {
        handle(.heard([ServerSentEvent(name: name, data: data.text)], retry: retry))
    }

    @discardableResult
    mutating func hello(expiresIn: Int? = nil, heartbeat: Int64 = 25) -> [WatchLoop.Action] {
        handle(.opened)
        return event(
            "hello", ["heartbeat_s": .int(heartbeat), "expires_in": expiresIn.map { .int(Int64($0)) } ?? .null])
    }

    @discardableResult
    mutating func poke(spread: Int64? = nil) -> [WatchLoop.Action] {
        var data: [String: JSON] = ["p-1": 7]
        data["_spread_ms"] = spread.map(JSON.int)
        return event("poke", .object(data))
    }

    /// Ends the present work.
    @discardableResult
    mutating func finish(
        rows: Int = 0, batches: Int? = nil, hasMore: Bool = false, isSettled: Bool = true
    ) -> [WatchLoop.Action] {
        var outcome = SyncOutcome(pulled: PullOutcome())
        outcome.pulled?.rows = rows
        outcome.pulled?.isSettled = isSettled
        outcome.pushed = batches.map { PushOutcome(batches: $0) }
        return handle(.finished(.done(outcome, hasMore: hasMore)))
    }

    mutating func cancelled() { handle(.finished(.cancelled)) }
}
