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

    private let session: Session
    private let options: SyncOptions
    private let owner = OwnerCheck()

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

    /// Syncs again and again, until the task is cancelled or an error ends it.
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
    private func round(
        _ direction: SyncDirection, _ options: SyncOptions, outlastsRefusal: Bool,
        _ progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        switch direction {
        case .pull: return SyncOutcome(pulled: try await pull(options, progress))
        case .push: return try await push(options, progress)
        case .both:
            var outcome = SyncOutcome(pulled: try await pull(options, progress))
            do {
                outcome += try await push(options, progress)
            } catch SyncError.refused(403, let code, let detail) where outlastsRefusal {
                outcome.refusal = .refused(status: 403, code: code, detail: detail)
            }
            if outcome.pushed?.isWorthAPull ?? false {
                outcome += SyncOutcome(pulled: try await pull(options, progress))
            }
            return outcome
        }
    }

    private func pull(_ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws -> PullOutcome {
        try await owner.run(session, options, progress)
        return try await Puller(session: session).pull(options, progress)
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
