/// The protocol of a watch as a pure state machine. Something happens, and actions come out.
///
/// It does no I/O and reads no clock, so every path through it can be tested with plain values. `Watcher` carries the
/// actions out. Three things go on at a time: an event stream, or waiting pulls where there can't be one; one work,
/// which is a sync or a part of it; and a look for edits. Pokes never queue up: while a pull runs, they ask for one
/// more. A pull that serves a poke begins after the poke has arrived, so it reaches what the poke told of.
struct WatchLoop: Sendable {
    /// What one task does at a time.
    enum Work: Sendable, Equatable {
        /// Pulls, pushes, and pulls the result.
        case sync
        /// Pulls. If there is nothing new, the server may hold the pull for `hold` seconds.
        case pull(hold: Int)
        /// Pushes, and pulls the result.
        case send
    }

    enum Action: Sendable, Equatable {
        /// Open a stream; → `opened` or `refused`, `heard`, at last `ended`.
        case open
        /// Close the stream. Nothing more is heard of it.
        case close
        /// → `finished`
        case begin(Work)
        /// Cancel the work; → `finished`
        case cancel
        /// Get a new token; → `renewed`
        case renew
        case tell(WatchState)
        case fail(SyncError)
    }

    /// How a work ended.
    enum End: Sendable, Equatable {
        case done(SyncOutcome, hasMore: Bool)
        case cancelled
        /// The server does not accept the token.
        case unauthorized(SyncError)
    }

    enum Event: Sendable {
        /// The head of the stream has come, with status 200.
        case opened
        /// The stream was refused.
        case refused(Verdict<UnreadBody>, status: Int)
        /// The transport can't stream.
        case cannotStream
        /// Bytes of the stream, and the events that end in them. `retry` is the stream's reconnection time.
        case heard([ServerSentEvent], retry: Duration?)
        /// The stream ended, or could not be opened. An error that is not transient ends the watch.
        case ended(TransportError)
        /// A request of the work failed and will be repeated.
        case trouble(SyncTrouble)
        /// A request of the work succeeded.
        case progress
        case finished(End)
        /// Something was edited here.
        case edited
        /// There is another token, or not.
        case renewed(Bool)
        /// Time has passed.
        case alarm
    }

    enum Stream {
        /// Nil for never.
        case off(until: Duration?)
        case opening(hasHead: Bool, deadline: Duration)
        case live(heartbeat: Duration, since: Duration, heard: Duration)
    }

    let direction: SyncDirection
    let canRenew: Bool
    let times: WatchTimes
    var random: SplitMix64

    var stream = Stream.off(until: .zero)
    /// Why there are waiting pulls; nil if there are none, or only as long as the server can't be reached.
    var fallback: WaitReason?
    /// When the head of a stream did not come, if no pull has shown yet where the fault is.
    var suspectedAt: Duration?
    /// The attempts to open a stream since the last one that held.
    var attempts = 0
    /// The attempts since the last `hello`.
    var misses = 0
    /// Those of them while other requests did not fail.
    var lonelyMisses = 0
    /// The server has asked not to come back before.
    var reconnectFloor: Duration = .zero
    var reconnect: Duration
    var lastTrouble: SyncTrouble?
    var told: WatchState?

    var work: Work?
    var workBegan: Duration = .zero
    var isCancelling = false
    var isTroubled = false
    var hadTrouble = false
    var hasSynced = false

    var pullDue: Duration?
    var pushDue: Duration?
    var holdDue: Duration = .zero
    var earlyPulls = 0
    var lastPull: Duration = .zero

    var renewDue: Duration?
    var isRenewing = false
    /// Set while nothing can be asked for before there is another token.
    var refusal: SyncError?

    /// `canRenew` says whether there may be another token when the present one ends.
    init(_ direction: SyncDirection, canRenew: Bool, times: WatchTimes = WatchTimes(), seed: UInt64) {
        (self.direction, self.canRenew, self.times) = (direction, canRenew, times)
        random = SplitMix64(seed: seed)
        reconnect = times.reconnect
    }

    /// The first actions. `now` is the time since any fixed moment.
    mutating func start(at now: Duration) -> [Action] {
        lastPull = now
        stream = .off(until: direction == .push ? nil : now)
        return tick(at: now)
    }

    /// The next actions. `now` must never go back.
    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        let first: [Action] =
            switch event {
            case .opened: opened(at: now)
            case .refused(let verdict, let status): refused(verdict, status, at: now)
            case .cannotStream: fallBack(.noStreaming, until: nil)
            case .heard(let events, let retry): heard(events, retry, at: now)
            case .ended(let error): ended(error, at: now)
            case .trouble(let trouble): troubled(trouble, at: now)
            case .progress: progressed(at: now)
            case .finished(let end): finished(end, at: now)
            case .edited: edited(at: now)
            case .renewed(let isNew): renewed(isNew, at: now)
            case .alarm: []
            }
        if first.contains(where: { if case .fail = $0 { true } else { false } }) { return first }
        return first + tick(at: now)
    }

    /// When `alarm` has to come next; nil for never.
    var alarm: Duration? {
        var times: [Duration?] = [streamAlarm]
        if !isRenewing { times.append(renewDue) }
        if work == nil, refusal == nil {
            times += [pushDue]
            if direction != .push { times += [pullDue, usesHolds ? holdDue : nil, lastPull + self.times.poll] }
        }
        return times.compactMap { $0 }.min()
    }

    var streamAlarm: Duration? {
        switch stream {
        case .off(let until): refusal == nil ? until : nil
        case .opening(_, let deadline): deadline
        case .live(let heartbeat, _, let heard): heard + heartbeat * times.silence
        }
    }
}

// MARK: What is due

extension WatchLoop {
    private mutating func tick(at now: Duration) -> [Action] {
        var actions = tickStream(at: now)
        if let due = renewDue, due <= now, !isRenewing { actions += renew() }
        guard refusal == nil, work == nil, let next = nextWork(at: now) else { return actions }
        (work, workBegan, isCancelling, isTroubled, hadTrouble) = (next, now, false, false, false)
        return actions + [.begin(next)]
    }

    private mutating func tickStream(at now: Duration) -> [Action] {
        guard let due = streamAlarm, due <= now else { return [] }
        switch stream {
        case .off:
            stream = .opening(hasHead: false, deadline: now + times.hello)
            return [.open]
        case .opening(hasHead: true, _): return [.close] + fallBack(.heldBack, until: now + times.fallback)
        case .opening(hasHead: false, _):
            // Either something holds back even the head, or the server is away. A pull shows which.
            (suspectedAt, pullDue) = (now, now)
            stream = .off(until: now + times.fallback)
            misses += 1
            return [.close]
        case .live: return [.close] + lost(SyncTrouble(.timeout), at: now, floor: .zero)
        }
    }

    private mutating func nextWork(at now: Duration) -> Work? {
        guard hasSynced else {
            pullDue = nil
            return .sync
        }
        if let due = pushDue, due <= now {
            pushDue = nil
            return .send
        }
        guard direction != .push else { return nil }
        if (pullDue ?? .seconds(Int64.max)) <= now || lastPull + times.poll <= now {
            pullDue = nil
            return .pull(hold: 0)
        }
        return usesHolds && holdDue <= now ? .pull(hold: times.hold) : nil
    }

    /// Whether there are waiting pulls now.
    var usesHolds: Bool {
        if case .live = stream { return false }
        return direction != .push && (fallback != nil || misses >= 2)
    }
}
