import SyncProtocol

/// Pushes the unsent edits of one replica. `PushLoop` decides what to do; this carries it out.
///
/// Several pushers may work on one replica. They send the same batch, the server applies it
/// once, and one of them settles it.
struct Pusher: Sendable {
    let session: Session

    /// How a push ended.
    enum End {
        /// Everything is sent, except rows that are held back.
        case done(PushOutcome)
        /// The watermark is void, or the schema is out of date. What is left can be sent after a pull.
        case pullFirst(PushOutcome)
    }

    /// Sends batches until nothing is left. Throws the same errors as `Puller.pull`. A batch that was not answered
    /// stays, and is sent first next time.
    func push(_ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws -> End {
        var loop = PushLoop(options: options, scope: session.remote.scope, seed: session.environment.seed())
        defer { session.tally?.add(SyncOutcome(pushed: loop.outcome)) }
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

    /// Carries out `action` and returns the event that answers it. Throws for actions that end a push.
    private func perform(_ action: PushLoop.Action) async throws -> PushLoop.Event {
        let replica = session.replica
        switch action {
        case .prepare(let limits):
            let environment = session.environment
            let held = try replica.holdNotUploadable()
            let aside = try replica.setAsideRemoved(at: environment.wallClock())
            return .prepared(
                try replica.nextBatch(limits, at: environment.wallClock(), newID: environment.newBatchID), held: held,
                aside: aside)
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
        case .retryRefused:
            try replica.retryRefused()
            return .dropped
        case .wipe(let reason, let detail): throw try session.wipe(reason, detail: detail)
        case .finish, .pullFirst: throw CancellationError()
        case .fail(let error): throw error
        }
    }
}

/// How far a push has come.
public struct PushProgress: Sendable, Equatable {
    /// Rows answered so far.
    public var rows: Int
}
