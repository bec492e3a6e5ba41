/// A page that is asked for and parsed while the one before it is stored, so that server, network and replica work at once.
///
/// Harmless where it turns out not to be wanted: asking changes nothing.
struct ReadAhead {
    let fetch: Fetch
    private let task: Task<PullLoop.Event, any Error>

    init(_ fetch: Fetch, _ session: Session, timeout: Duration) {
        self.fetch = fetch
        task = Task { try await session.ask(fetch, timeout: timeout) }
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
    func ask(_ fetch: Fetch, timeout: Duration) async throws -> PullLoop.Event {
        switch try await exchange(remote.request(fetch, timeout: timeout)) {
        case .success(let response): .answered(response)
        case .failure(let error): .failed(error)
        }
    }
}
