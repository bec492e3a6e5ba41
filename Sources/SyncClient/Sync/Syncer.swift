import SyncProtocol

/// Syncs one project, or all projects of a user, with one replica. `docs/swift-app.md` walks through an app.
///
/// ```swift
/// let remote = try Remote(url: "https://tidemark.example.org", scope: .allProjects, token: token)
/// let replica = try Replica(path: path, scope: .allProjects)
/// let transport = HTTPTransport()
/// let outcome = try await Syncer(remote: remote, transport: transport, replica: replica).sync()
/// ```
///
/// After `sync()` the replica holds everything that the caller may see. The only unsent rows left are new rows that the
/// server refused to create, and rows of collections that it takes no edits of any more (`Replica.refused()`). Edits
/// that the server did not accept are in `Replica.setAside()`. Edits may be made during a sync, in this process or in
/// another. Several processes may sync one replica.
///
/// A replica of all projects belongs to the first user who syncs it; with another user's token all methods throw
/// `ReplicaError.otherUser`. They throw `SyncError`, `ReplicaError`, SQLite's errors, and `CancellationError`. What was
/// done until then is kept, and the next call continues from there.
public struct Syncer: Sendable {
    /// The most pulls that one push may need. After these the server counts as broken.
    private static let pullLimit = 3

    private(set) var session: Session
    private let options: SyncOptions
    private var owner = OwnerCheck()

    /// Makes a syncer; sends nothing. Throws `ReplicaError.otherProject` or `otherScope` when the replica is not one of
    /// what `remote` serves.
    public init(
        remote: Remote, transport: any Transport, replica: Replica, options: SyncOptions = SyncOptions(),
        environment: SyncEnvironment = .live
    ) throws {
        try ReplicaError.check(replica.path, replica.state().scope, isOf: remote.scope)
        session = Session(
            remote: remote, transport: transport, replica: replica, environment: environment, device: options.device)
        self.options = options
    }

    /// Fetches changes. On return the replica holds everything that the caller may see up to the outcome's `timestamp`,
    /// which includes everything committed before the call.
    public func pull(progress: (SyncProgress) -> Void = { _ in }) async throws -> PullOutcome {
        try await pull(options, progress)
    }

    /// Sends unsent edits, including rows that were refused before. If the server refuses the upload because the
    /// watermark is too old, or because it takes no edits of a collection any more, this pulls and tries again.
    public func push(progress: (SyncProgress) -> Void = { _ in }) async throws -> PushOutcome {
        try session.replica.retryRefused()
        return try await push(options, progress).pushed ?? PushOutcome()
    }

    /// Pulls, pushes, and pulls the result of the push.
    public func sync(progress: (SyncProgress) -> Void = { _ in }) async throws -> SyncOutcome {
        try session.replica.retryRefused()
        return try await round(.both, options, outlastsRefusal: false, progress)
    }

    /// Syncs whenever something changes here or on the server, until the task is cancelled or an error ends it.
    ///
    /// The server tells of changes: by events or, where these do not get through, by waiting pulls. Edits made here
    /// are sent as soon as they are noticed (`SyncOptions.lookForEdits`). Network failures, busy servers and restarts
    /// are outlasted without end, and nothing is missed meanwhile. If the caller's role allows no edits, pulls go on.
    ///
    /// `renewing` returns a new token, or nil or the same one if there is none. It is called 30 seconds before the
    /// token ends and when the server refuses it. Without a new one a refused token ends the watch with
    /// `SyncError.refused`, status 401. An error of `renewing` ends it too.
    ///
    /// `onState` is called when the way changes in which the client hears of the server, `onRound` after each sync.
    public func watch(
        _ direction: SyncDirection = .both, renewing: (@Sendable () async throws -> String?)? = nil,
        progress: (SyncProgress) -> Void = { _ in }, onState: (WatchState) -> Void = { _ in },
        onRound: (SyncOutcome) -> Void = { _ in }
    ) async throws -> Never {
        try await watch(
            direction, times: WatchTimes(), renewing: renewing, progress: progress, onState: onState, onRound: onRound)
    }

    func watch(
        _ direction: SyncDirection, times: WatchTimes, renewing: (@Sendable () async throws -> String?)? = nil,
        progress: (SyncProgress) -> Void = { _ in }, onState: (WatchState) -> Void, onRound: (SyncOutcome) -> Void
    ) async throws -> Never {
        try session.replica.retryRefused()
        var watcher = Watcher(self, direction, options, session.environment, times: times, renewing: renewing)
        try await watcher.run(progress, onState, onRound)
    }

    /// Syncs again and again, until the task is cancelled or an error ends it. Asks at intervals: `watch` without an
    /// interval learns of changes at once, with fewer requests.
    ///
    /// The next round starts at once when there is something to do; otherwise after `interval`, or earlier when
    /// something is edited here. Network failures and busy servers are retried without end. If the caller's role allows
    /// no edits, pulls go on. `onRound` is called after each round.
    public func watch(
        _ direction: SyncDirection = .both, every interval: Duration,
        progress: (SyncProgress) -> Void = { _ in }, onRound: (SyncOutcome) -> Void = { _ in }
    ) async throws -> Never {
        try session.replica.retryRefused()
        var patient = options
        patient.patience = nil
        var last: PullOutcome?
        while true {
            let outcome = try await round(direction, patient, outlastsRefusal: true, progress)
            onRound(outcome)
            // If the head stays ahead and the watermark does not move, this would be a busy loop.
            let isAhead = outcome.pulled.map { $0.isBehind && $0.timestamp != last?.timestamp } ?? false
            if !isAhead { try await wait(interval, sendsEdits: direction != .pull && outcome.refusal == nil) }
            last = outcome.pulled ?? last
        }
    }
}

extension Syncer {
    /// Does one work of a watch. It is repeated without end while the server can't be reached.
    func run(
        _ work: WatchLoop.Work, _ direction: SyncDirection, _ progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        var patient = options
        patient.patience = nil
        switch work {
        case .sync: return try await round(direction, patient, outlastsRefusal: true, progress)
        case .pull(let hold): return SyncOutcome(pulled: try await pull(patient, hold: hold, progress))
        case .send where direction == .push: return try await push(patient, progress)
        case .send: return try await pushAndPull(SyncOutcome(), patient, outlastsRefusal: true, progress)
        }
    }

    /// Uses another token from now on. Returns false if it is the same.
    mutating func use(token: String) -> Bool {
        let remote = session.remote.with(token: token)
        guard remote.token != session.remote.token else { return false }
        (session.remote, owner) = (remote, OwnerCheck())
        return true
    }

    private func round(
        _ direction: SyncDirection, _ options: SyncOptions, outlastsRefusal: Bool,
        _ progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        switch direction {
        case .pull: return SyncOutcome(pulled: try await pull(options, progress))
        case .push: return try await push(options, progress)
        case .both:
            let pulled = SyncOutcome(pulled: try await pull(options, progress))
            return try await pushAndPull(pulled, options, outlastsRefusal: outlastsRefusal, progress)
        }
    }

    private func pushAndPull(
        _ before: SyncOutcome, _ options: SyncOptions, outlastsRefusal: Bool, _ progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        var outcome = before
        do {
            outcome += try await push(options, progress)
        } catch SyncError.refused(403, let code, let detail) where outlastsRefusal {
            outcome.refusal = .refused(status: 403, code: code, detail: detail)
        }
        if outcome.pushed?.isWorthAPull ?? false {
            let refusal = outcome.refusal
            outcome += SyncOutcome(pulled: try await pull(options, progress))
            outcome.refusal = refusal
        }
        return outcome
    }

    private func pull(
        _ options: SyncOptions, hold: Int = 0, _ progress: (SyncProgress) -> Void
    ) async throws -> PullOutcome {
        try await owner.run(session, options, progress)
        return try await Puller(session: session).pull(options, hold: hold, progress)
    }

    /// Pushes. A replica without a watermark is pulled first: it is incomplete, and can't say
    /// which state its edits are based on.
    private func push(_ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws -> SyncOutcome {
        var outcome = SyncOutcome(pushed: PushOutcome())
        try await owner.run(session, options, progress)
        for _ in 0...Self.pullLimit {
            if try session.replica.state().since == .zero {
                outcome += SyncOutcome(pulled: try await pull(options, progress))
            }
            switch try await Pusher(session: session).push(options, progress) {
            case .done(let pushed): return outcome + SyncOutcome(pushed: pushed)
            case .pullFirst(let pushed):
                outcome += SyncOutcome(pulled: try await pull(options, progress), pushed: pushed)
            }
        }
        throw SyncError.violation("it keeps refusing uploads that fit its schema and watermark")
    }

    /// Waits in slices of half a second, to notice edits made by other processes.
    private func wait(_ interval: Duration, sendsEdits: Bool) async throws {
        let end = session.environment.now() + interval
        while session.environment.now() < end {
            if sendsEdits, try session.replica.hasSomethingToSend() { return }
            try await session.environment.sleep(min(.milliseconds(500), end - session.environment.now()))
        }
    }
}

extension SyncOutcome {
    static func + (left: Self, right: Self) -> Self {
        SyncOutcome(pulled: left.pulled + right.pulled, pushed: left.pushed + right.pushed)
    }

    static func += (left: inout Self, right: Self) { left = left + right }
}

private func + (left: PullOutcome?, right: PullOutcome?) -> PullOutcome? {
    guard let left, let right else { return left ?? right }
    return left + right
}

private func + (left: PushOutcome?, right: PushOutcome?) -> PushOutcome? {
    guard let left, let right else { return left ?? right }
    return left + right
}
