/// A page that is asked for and parsed while the one before it is stored, so that server, network and replica work at
/// once.
///
/// Harmless where it turns out not to be wanted: asking changes nothing.
struct ReadAhead {
    private let fetch: Fetch
    private let schema: ServerSchema?
    private let task: Task<PullLoop.Event, any Error>

    init(_ fetch: Fetch, of schema: ServerSchema?, _ session: Session, timeout: Duration) {
        self.fetch = fetch
        self.schema = schema
        task = Task { try await session.ask(fetch, of: schema, timeout: timeout) }
    }

    /// Whether the question is this one, and the answer is read by this schema.
    func isFor(_ fetch: Fetch, of schema: ServerSchema?) -> Bool {
        self.fetch == fetch && self.schema?.version == schema?.version
    }

    /// Ends at once when the task that waits is cancelled.
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
    /// Asks, and reads what comes.
    func ask(_ fetch: Fetch, of schema: ServerSchema?, timeout: Duration) async throws -> PullLoop.Event {
        switch (try await exchange(remote.request(fetch, timeout: timeout)), fetch, schema) {
        case (.success(let response), .page, let schema?): .page(Verdict(response, pageOf: schema))
        case (.success(let response), _, _): .answered(response)
        case (.failure(let error), _, _): .failed(error)
        }
    }
}
