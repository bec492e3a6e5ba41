import SyncProtocol

/// Pulls one project, or all projects of a user, into one replica. `PullLoop` decides what to do; this carries it out.
///
/// Several pullers may work on one replica, in one process or in several. Each page is stored by one of them,
/// and the others continue from there.
struct Puller: Sendable {
    let session: Session

    /// Drains until a drain counts (`ReplicaState.counts`), beginning with the rest of an interrupted one.
    ///
    /// Throws `SyncError`, `ReplicaError`, SQLite's errors, and `CancellationError`. Pages that were stored stay, and
    /// the next pull continues after them. Calls `progress` after every page and before every wait.
    ///
    /// If there is nothing new, the server may hold the pull for `hold` seconds.
    func pull(
        _ options: SyncOptions, hold: Int = 0, _ progress: (SyncProgress) -> Void
    ) async throws -> PullOutcome {
        let wanted = try session.replica.parts.wanted(at: session.environment.wallClock())
        let state = try session.replica.state()
        var loop = PullLoop(
            state: state, schema: try session.replica.schema(), options: options, seed: session.environment.seed(),
            hold: hold, wanted: wanted, comparesParts: try !wanted.isEverything && comparesParts(state, options))
        defer { session.tally?.add(SyncOutcome(pulled: loop.outcome)) }
        var ahead: ReadAhead?
        defer { ahead?.cancel() }
        var action = loop.start(at: session.environment.now())
        while true {
            try Task.checkCancellation()
            if case .finish(let outcome) = action { return outcome }
            if case .apply(let page) = action, options.readsAhead {
                ahead = loop.fetch(after: page).map {
                    ReadAhead($0, of: loop.schema, session, timeout: options.requestTimeout)
                }
            }
            let pages = loop.outcome.pages
            action = loop.handle(try await perform(action, for: loop, &ahead), at: session.environment.now())
            if loop.outcome.pages > pages, let reached = loop.progress { progress(.pulled(reached)) }
            if case .wait = action, let trouble = loop.trouble { progress(.waiting(trouble)) }
        }
    }

    /// Whether to compare the part with the server's: when batches are to be confirmed, and now and then.
    private func comparesParts(_ state: ReplicaState, _ options: SyncOptions) throws -> Bool {
        let isDue = state.drainNumber % Int64(max(options.drainsPerPartDigest, 1)) == 0
        return try isDue || session.firstPull.take() || session.replica.hasAnsweredBatch()
    }

    /// Carries out `action` and returns the event that answers it. Throws for actions that end a pull.
    private func perform(
        _ action: PullLoop.Action, for loop: PullLoop, _ ahead: inout ReadAhead?
    ) async throws -> PullLoop.Event {
        switch action {
        case .send(let fetch, let timeout):
            defer { ahead = nil }
            return try await answer(to: fetch, of: loop.schema, timeout, ahead)
        case .wait(let duration):
            try await session.environment.sleep(duration)
            return .waited
        case .adopt(let schema): return .stored(try session.replica.adopt(schema))
        case .reset(let resync):
            let state = try session.replica.reset(resync: resync, after: loop.state)
            return try state.map { .stored($0) } ?? .superseded(session.replica.state())
        case .apply(let page): return try apply(page, loop)
        case .wipe(let reason, let detail): throw try session.wipe(reason, detail: detail)
        case .finish: throw CancellationError()
        case .fail(let error): throw try failure(error, loop)
        }
    }

    private func answer(
        to fetch: Fetch, of schema: ServerSchema?, _ timeout: Duration, _ ahead: ReadAhead?
    ) async throws -> PullLoop.Event {
        if let ahead, ahead.isFor(fetch, of: schema) { return try await ahead.answer }
        ahead?.cancel()
        return try await session.ask(fetch, of: schema, timeout: timeout)
    }

    private func apply(_ page: PageResponse, _ loop: PullLoop) throws -> PullLoop.Event {
        guard let schema = loop.schema else { throw SyncError.violation("a page came before the schema") }
        do {
            let receipt = try session.replica.receive(
                page, of: schema, after: loop.state, replacing: loop.replacing,
                isReread: !loop.outcome.replaced.isEmpty, limit: loop.options.keptRows,
                at: session.environment.wallClock())
            guard let receipt else {
                return .superseded(try session.replica.state())
            }
            return .stored(
                receipt.state, dropped: receipt.dropped,
                differing: Replacing(receipt.differing, in: receipt.differingProjects), left: receipt.left)
        } catch let error as SyncError {
            throw try failure(error, loop)
        }
    }

    /// Drops the drain after a violation: it can't be trusted, so the next pull starts a new one.
    private func failure(_ error: SyncError, _ loop: PullLoop) throws -> SyncError {
        if case .violation = error { _ = try session.replica.reset(resync: false, after: loop.state) }
        return error
    }
}

/// Requests and parses the next page while the one before it is stored, so server, network
/// and replica work at the same time.
///
/// If the page turns out not to be needed, no harm is done: a request for a page changes nothing.
struct ReadAhead {
    private let fetch: Fetch
    private let schema: ServerSchema?
    private let task: Task<PullLoop.Event, any Error>

    init(_ fetch: Fetch, of schema: ServerSchema?, _ session: Session, timeout: Duration) {
        self.fetch = fetch
        self.schema = schema
        task = Task { try await session.ask(fetch, of: schema, timeout: timeout) }
    }

    /// Whether this is the same request, and its response is read with the same schema.
    func isFor(_ fetch: Fetch, of schema: ServerSchema?) -> Bool {
        self.fetch == fetch && self.schema?.version == schema?.version
    }

    /// The response. Ends at once when the waiting task is cancelled.
    var answer: PullLoop.Event {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                cancel()
            }
        }
    }

    func cancel() { task.cancel() }
}

extension Session {
    /// Sends the request and reads the response.
    func ask(_ fetch: Fetch, of schema: ServerSchema?, timeout: Duration) async throws -> PullLoop.Event {
        switch (try await exchange(remote.request(fetch, timeout: timeout)), fetch, schema) {
        case (.success(let response), .page, let schema?): .page(Verdict(response, pageOf: schema))
        case (.success(let response), _, _): .answered(response)
        case (.failure(let error), _, _): .failed(error)
        }
    }
}
