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
        /// The replica is to hold other parts.
        case partsChanged
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
        self.direction = direction
        self.canRenew = canRenew
        self.times = times
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
            case .partsChanged: partsChanged(at: now)
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
        work = next
        workBegan = now
        isCancelling = false
        isTroubled = false
        hadTrouble = false
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
            suspectedAt = now
            pullDue = now
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

/// Syncs, pulls and pushes, and how they end.
extension WatchLoop {
    var isHolding: Bool { if case .pull(let hold) = work { hold > 0 } else { false } }

    /// Ends the work early. What it had to do is due again.
    mutating func endWork(if isMeant: Bool) -> [Action] {
        guard work != nil, !isCancelling, isMeant else { return [] }
        isCancelling = true
        return [.cancel]
    }

    mutating func troubled(_ trouble: SyncTrouble, at now: Duration) -> [Action] {
        isTroubled = true
        hadTrouble = true
        lonelyMisses = 0
        guard suspectedAt != nil else { return [] }
        suspectedAt = nil
        return lost(trouble, at: now, floor: .zero)
    }

    mutating func progressed(at now: Duration) -> [Action] {
        defer { isTroubled = false }
        return reached(again: isTroubled, at: now)
    }

    /// A pull has come through, and the head of the stream has not. Unless the server was just slow for both, something
    /// holds back the stream. Work that began earlier shows nothing; a pull follows it.
    private mutating func judge(_ suspectedAt: Duration, at now: Duration) -> [Action] {
        guard workBegan >= suspectedAt else { return [] }
        self.suspectedAt = nil
        guard now - workBegan < times.hello else {
            stream = .off(until: now + delay(floor: .zero))
            return []
        }
        fallback = .heldBack
        return tell(.waitingPulls(.heldBack))
    }

    /// The server has answered another request. If the head of the stream is missing, something holds it back; if the
    /// stream fails again and again, only events are in trouble.
    mutating func reached(again: Bool, at now: Duration) -> [Action] {
        if let suspectedAt { return judge(suspectedAt, at: now) }
        guard fallback == nil else { return [] }
        if again, case .off(let until?) = stream {
            stream = .off(until: max(reconnectFloor, min(until, now + jitter(attempt: 0))))
        }
        guard lonelyMisses >= 3, let lastTrouble else { return [] }
        fallback = .refused(lastTrouble.reason)
        return tell(.waitingPulls(.refused(lastTrouble.reason)))
    }

    mutating func edited(at now: Duration) -> [Action] {
        guard direction != .pull, work != .send, work != .sync else { return [] }
        pushDue = pushDue ?? now
        return endWork(if: isHolding)
    }

    mutating func partsChanged(at now: Duration) -> [Action] {
        guard direction != .push else { return [] }
        pullDue = now
        return endWork(if: isHolding)
    }

    mutating func finished(_ end: End, at now: Duration) -> [Action] {
        let ended = work
        work = nil
        switch end {
        case .cancelled:
            if ended == .send { pushDue = pushDue ?? now } else if ended != .sync { pullDue = now }
            return []
        case .unauthorized(let error):
            if ended == .send { pushDue = now } else if ended != .sync { pullDue = now }
            return unauthorized(error, at: now)
        case .done(let outcome, let hasMore):
            let wasTroubled = isTroubled
            done(ended, outcome: outcome, hasMore: hasMore, at: now)
            return reached(again: wasTroubled, at: now)
        }
    }

    mutating func done(_ work: Work?, outcome: SyncOutcome, hasMore: Bool, at now: Duration) {
        hasSynced = true
        isTroubled = false
        let isNew = outcome.pulled.map { $0.rows + $0.deleted + $0.left.count > 0 } ?? false
        if let pulled = outcome.pulled {
            lastPull = now
            // Others wrote all the time, and no poke may follow.
            if !pulled.isSettled { pullDue = pullDue.map { min($0, now + times.firstPause) } ?? now + times.firstPause }
        }
        if case .pull(let hold) = work, hold > 0 { paused(isNew, sooner: now - workBegan < .seconds(hold) / 2, now) }
        guard direction != .pull else { return }
        if outcome.pushed != nil || outcome.refusal != nil {
            let isStuck = outcome.refusal != nil || outcome.pushed?.batches == 0
            pushDue = hasMore ? now + (isStuck ? times.refused : .zero) : nil
        } else if hasMore {
            // What others changed may have changed what the server takes.
            pushDue = pushDue.map { isNew ? min($0, now + times.firstPause) : $0 } ?? now
        }
    }

    /// A server that does not know `wait` answers at once. It is asked again after a pause. A pull that had to be
    /// repeated is not held, so one of these says nothing.
    mutating func paused(_ isNew: Bool, sooner: Bool, _ now: Duration) {
        guard sooner, !isNew else { return (earlyPulls, holdDue) = (0, now) }
        let isFree = hadTrouble && earlyPulls == 0
        holdDue = isFree ? now : now + min(times.firstPause * (1 << min(earlyPulls, 10)), times.longestPause)
        earlyPulls += 1
    }
}

/// The end of a token.
extension WatchLoop {
    mutating func renew() -> [Action] {
        isRenewing = true
        renewDue = nil
        return [.renew]
    }

    /// Nothing goes on before there is another token.
    mutating func unauthorized(_ error: SyncError, at now: Duration) -> [Action] {
        guard canRenew else { return [.fail(error)] }
        refusal = error
        let actions = closed(until: now)
        return actions + endWork(if: true) + (isRenewing ? [] : renew())
    }

    mutating func renewed(_ isNew: Bool, at now: Duration) -> [Action] {
        isRenewing = false
        if let refusal {
            guard isNew else { return [.fail(refusal)] }
            self.refusal = nil
        }
        guard isNew else { return [] }
        // A stream lives as long as the token that it was opened with.
        guard direction != .push, fallback == nil else { return [] }
        if case .off = stream { stream = .off(until: now) }
        return closed(until: now)
    }

    /// Closes the stream if there is one, and opens the next one then.
    mutating func closed(until: Duration) -> [Action] {
        if case .off = stream { return [] }
        stream = .off(until: until)
        return [.close]
    }
}

/// How `Syncer.watch` hears of changes.
public enum WatchState: Sendable, Equatable {
    /// The server tells of each change at once.
    case events
    /// Events do not get through. The server holds each pull until there is something new, so changes arrive as
    /// quickly, with more requests.
    case waitingPulls(WaitReason)
    /// The server can't be reached, or can't serve this now. The next attempt comes after `retryIn`, or earlier.
    case disconnected(SyncTrouble, retryIn: Duration)
}

/// Why there are waiting pulls instead of events.
public enum WaitReason: Sendable, Equatable {
    /// Something between the server and this client, mostly a proxy, holds back events.
    case heldBack
    /// The server has no events: it is an older version.
    case unsupported
    /// The transport can't stream.
    case noStreaming
    /// The stream was refused, or breaks again and again. The value is a sentence for a person.
    case refused(String)
}

extension WaitReason: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .heldBack:
            "A proxy on the way holds back events. Changes still come, with more requests. Whoever runs the proxy "
                + "should turn off its buffering for /api/v1/events/ (nginx: `proxy_buffering off` and "
                + "`proxy_http_version 1.1`)."
        case .unsupported: "The server has no events; it is an older version."
        case .noStreaming: "This client can't read events."
        case .refused(let detail): detail
        }
    }
}

/// The times of a watch.
struct WatchTimes: Sendable, Equatable {
    /// How long the `hello` may take: from the sending of the request, and again from the head of the response.
    var hello: Duration = .seconds(5)
    /// How many heartbeats may pass in silence.
    var silence = 2.5
    /// For how long events are not tried again after they were held back, or are not supported.
    var fallback: Duration = .seconds(3600)
    /// The same after the stream was refused for another reason.
    var refusal: Duration = .seconds(60)
    /// For how many seconds the server may hold a waiting pull. A proxy may give up at 60.
    var hold = 25
    /// The wait before a pull that follows an empty one, if the server did not hold that. It doubles each time.
    var firstPause: Duration = .seconds(5)
    /// The longest of these waits.
    var longestPause: Duration = .seconds(30)
    /// A pull comes at least this often.
    var poll: Duration = .seconds(900)
    /// Reconnects come after a random time from zero to this, doubled with each attempt. The server's `retry` replaces
    /// it.
    var reconnect: Duration = .seconds(1)
    /// The longest of these times.
    var longestReconnect: Duration = .seconds(30)
    /// How long before its end a token is renewed.
    var renewal: Duration = .seconds(30)
    /// How long edits wait after the server refused all of them.
    var refused: Duration = .seconds(30)
}
