import Synchronization

/// Sees to it that at most one request of this server works on an upload. A newer one ends the older one if that may
/// wait for a client, which may be gone, and begins when it has ended.
final class UploadTurns: Sendable {
    private struct Turn {
        let number: Int
        let cancel: @Sendable () -> Void
        let end: @Sendable () async -> Void
    }

    private struct State {
        var next = 0
        var turns: [String: Turn] = [:]
    }

    private let state = Mutex(State())

    /// Runs `body`. If it waits for a client, it is cancelled when the next request comes, or when this task is.
    func run<Value: Sendable>(
        _ upload: String, waitsForClient: Bool, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (number, task) = state.withLock { state in
            let former = state.turns[upload]
            former?.cancel()
            let task = Task {
                await former?.end()
                return try await body()
            }
            state.next += 1
            state.turns[upload] = Turn(
                number: state.next, cancel: { if waitsForClient { task.cancel() } },
                end: { _ = try? await task.value })
            return (state.next, task)
        }
        defer {
            state.withLock { state in
                if state.turns[upload]?.number == number { state.turns[upload] = nil }
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            if waitsForClient { task.cancel() }
        }
    }
}
