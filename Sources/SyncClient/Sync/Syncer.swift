import SyncProtocol

/// Syncs one project with one replica.
///
/// After `sync()` the replica holds all that the caller may see, nothing dirty is left but rows that the server refused
/// to create, and what the server did not take is in `Replica.setAside()`. Edits may go on meanwhile, in this process
/// or another; several processes may sync one replica.
///
/// All methods throw `SyncError`, `ReplicaError`, errors of SQLite, and `CancellationError`. What was done until then
/// stays done, and the next call goes on from there.
public struct Syncer: Sendable {
    /// Pulls that a push may ask for before the server is not believed any more.
    private static let pullLimit = 3

    private let session: Session
    private let options: SyncOptions

    /// Throws `ReplicaError.otherProject` when the replica belongs to another project than `remote` names.
    public init(
        remote: Remote, transport: any Transport, replica: Replica, options: SyncOptions = SyncOptions(),
        environment: SyncEnvironment = .live
    ) throws {
        let bound = try replica.state().project
        guard bound == remote.project else {
            throw ReplicaError.otherProject(path: replica.path, bound: bound, asked: remote.project)
        }
        session = Session(remote: remote, transport: transport, replica: replica, environment: environment)
        self.options = options
    }

    /// On return the replica holds all that the caller may see up to `timestamp`, and that is not older than the call.
    public func pull(progress: (SyncProgress) -> Void = { _ in }) async throws -> PullOutcome {
        try await pull(options, progress)
    }

    /// Sends what is dirty, rows that were refused before included. What the server refuses because the watermark is
    /// too old makes it pull, and try again.
    public func push(progress: (SyncProgress) -> Void = { _ in }) async throws -> PushOutcome {
        try session.replica.retryRefused()
        return try await push(options, progress).pushed ?? PushOutcome()
    }

    /// Pulls, pushes, and pulls what came of that.
    public func sync(progress: (SyncProgress) -> Void = { _ in }) async throws -> SyncOutcome {
        try session.replica.retryRefused()
        return try await round(.both, options, outlastsRefusal: false, progress)
    }

    /// Goes on until the task is cancelled or an error ends it: again at once when there is something to do, else after
    /// `interval`, or as soon as something is edited here. Failing networks and busy servers are waited for, however
    /// long; where edits are not taken for want of a role, pulls go on. `onRound` is called after each.
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
            // A head that stays ahead without the watermark moving would make this a busy loop.
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
        try await Puller(session: session).pull(options, progress)
    }

    /// A replica without a watermark is incomplete, and can't say what its edits were made on.
    private func push(_ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws -> SyncOutcome {
        var outcome = SyncOutcome(pushed: PushOutcome())
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
        throw SyncError.violation("it keeps refusing the watermark that it gave")
    }

    /// In slices, to look for edits of other processes.
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
