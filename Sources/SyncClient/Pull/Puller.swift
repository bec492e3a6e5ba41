import SyncProtocol

/// Pulls one project into one replica: carries out what `PullLoop` decides.
///
/// Several pullers may work on one replica, in one process or more; each page is stored by one of them, and the others
/// go on from there.
public struct Puller: Sendable {
    private let remote: Remote
    private let transport: any Transport
    private let replica: Replica
    private let options: PullOptions
    private let environment: PullEnvironment

    /// Throws `ReplicaError.otherProject` when the replica belongs to another project than `remote` names.
    public init(
        remote: Remote, transport: any Transport, replica: Replica, options: PullOptions = PullOptions(),
        environment: PullEnvironment = .live
    ) throws {
        let bound = try replica.state().project
        guard bound == remote.project else {
            throw ReplicaError.otherProject(path: replica.path, bound: bound, asked: remote.project)
        }
        self.remote = remote
        self.transport = transport
        self.replica = replica
        self.options = options
        self.environment = environment
    }

    /// Finishes a drain that was interrupted, and drains from the watermark if that left something to pull.
    ///
    /// On return the replica holds all that the caller may see up to `timestamp`, and that is not older than the call.
    /// Throws `PullError`, `ReplicaError`,
    /// errors of SQLite, and `CancellationError`; pages stored until then stay, and the next pull goes on behind them.
    /// `progress` is called after every page.
    public func pull(progress: (PullProgress) -> Void = { _ in }) async throws -> PullOutcome {
        try await pull(options, progress)
    }

    /// Pulls until the task is cancelled or an error ends it: again at once when the server's head was ahead, else after
    /// `interval`. Failing networks and busy servers are waited for, however long. `onDrain` is called after each drain.
    public func watch(
        every interval: Duration, progress: (PullProgress) -> Void = { _ in },
        onDrain: (PullOutcome) -> Void = { _ in }
    ) async throws -> Never {
        var patient = options
        patient.patience = nil
        var last = SyncSeq.zero
        while true {
            let outcome = try await pull(patient, progress)
            onDrain(outcome)
            // A head that stays ahead without the watermark moving would make this a busy loop.
            if !outcome.isBehind || outcome.timestamp <= last { try await environment.sleep(interval) }
            last = outcome.timestamp
        }
    }
}

// MARK: Actions

extension Puller {
    private func pull(_ options: PullOptions, _ progress: (PullProgress) -> Void) async throws -> PullOutcome {
        var loop = PullLoop(
            state: try replica.state(), schema: try replica.schema(), options: options, seed: environment.seed())
        var action = loop.start(at: environment.now())
        while true {
            try Task.checkCancellation()
            if case .finish(let outcome) = action { return outcome }
            let pages = loop.outcome.pages
            action = loop.handle(try await perform(action, for: loop), at: environment.now())
            if loop.outcome.pages > pages, let reached = loop.progress { progress(reached) }
        }
    }

    /// The event that answers `action`. Actions that end a pull throw.
    private func perform(_ action: PullLoop.Action, for loop: PullLoop) async throws -> PullLoop.Event {
        switch action {
        case .send(let fetch, let timeout): return try await send(fetch, timeout)
        case .wait(let duration):
            try await environment.sleep(duration)
            return .waited
        case .adopt(let schema): return .stored(try replica.adopt(schema))
        case .reset(let resync):
            let state = try replica.reset(resync: resync, after: loop.state)
            return try state.map { .stored($0) } ?? .superseded(replica.state())
        case .apply(let page): return try apply(page, loop)
        case .wipe(let reason, let detail):
            let setAside = try replica.wipe(reason, at: environment.wallClock())
            throw PullError.wiped(reason, detail: detail, setAside: setAside)
        case .finish: throw CancellationError()
        case .fail(let error): throw try failure(error, loop)
        }
    }

    private func send(_ fetch: Fetch, _ timeout: Duration) async throws -> PullLoop.Event {
        do {
            return .answered(try await transport.send(remote.request(fetch, timeout: timeout)))
        } catch let error as TransportError {
            return .failed(error)
        }
    }

    private func apply(_ page: PullPage, _ loop: PullLoop) throws -> PullLoop.Event {
        guard let schema = loop.schema else { throw PullError.violation("a page came before the schema") }
        do {
            let receipt = try replica.apply(page, of: schema, after: loop.state, replacing: loop.replacing)
            guard let receipt else {
                return .superseded(try replica.state())
            }
            return .stored(receipt.state, dropped: receipt.dropped, differing: receipt.differing)
        } catch let error as PullError {
            throw try failure(error, loop)
        }
    }

    /// After a violation the drain is not to be trusted: the next pull begins it anew.
    private func failure(_ error: PullError, _ loop: PullLoop) throws -> PullError {
        if case .violation = error { _ = try replica.reset(resync: false, after: loop.state) }
        return error
    }
}
