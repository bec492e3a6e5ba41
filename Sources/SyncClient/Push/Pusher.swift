import SyncProtocol

/// Pushes what is dirty in one replica: carries out what `PushLoop` decides.
///
/// Several pushers may work on one replica: they send the same batch, the server applies it once, and one of them
/// settles it.
struct Pusher: Sendable {
    let session: Session

    /// How a push ended.
    enum End {
        /// Nothing is left to send but what is held back.
        case done(PushOutcome)
        /// The watermark is void: what is left goes after a pull.
        case pullFirst(PushOutcome)
    }

    /// Throws as `Puller.pull` does; a batch that was not answered stays, and goes first the next time.
    func push(_ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws -> End {
        var loop = PushLoop(options: options, seed: session.environment.seed())
        var action = loop.start()
        while true {
            try Task.checkCancellation()
            if case .finish(let outcome) = action { return .done(outcome) }
            if case .pullFirst(let outcome) = action { return .pullFirst(outcome) }
            let batches = loop.outcome.batches
            action = loop.handle(try await perform(action), at: session.environment.now())
            if loop.outcome.batches > batches { progress(.pushed(PushProgress(rows: loop.outcome.rows))) }
            if case .wait = action, let trouble = loop.trouble { progress(.waiting(trouble)) }
        }
    }

    /// The event that answers `action`. Actions that end a push throw.
    private func perform(_ action: PushLoop.Action) async throws -> PushLoop.Event {
        let replica = session.replica
        switch action {
        case .prepare(let limits):
            let environment = session.environment
            return .prepared(
                try replica.nextBatch(limits, at: environment.wallClock(), newID: environment.newBatchID))
        case .send(let batch, let timeout):
            return switch try await session.exchange(session.remote.upload(batch, timeout: timeout)) {
            case .success(let response): .answered(response)
            case .failure(let error): .failed(error)
            }
        case .wait(let duration):
            try await session.environment.sleep(duration)
            return .waited
        case .settle(let batch, let answer):
            return .settled(try replica.settle(batch, answer, at: session.environment.wallClock()))
        case .drop(let batch):
            try replica.drop(batch)
            return .dropped
        case .hold(let batch, let refusal):
            try replica.refuse(batch, refusal)
            return .dropped
        case .wipe(let reason, let detail): throw try session.wipe(reason, detail: detail)
        case .finish, .pullFirst: throw CancellationError()
        case .fail(let error): throw error
        }
    }
}
