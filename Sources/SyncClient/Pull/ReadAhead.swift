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
