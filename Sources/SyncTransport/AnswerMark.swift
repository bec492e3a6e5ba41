import Synchronization

/// Whether the response of one request has begun.
package final class AnswerMark: Sendable {
    private let mark = Atomic(false)

    package init() {}

    package var hasBegun: Bool { mark.load(ordering: .relaxed) }

    package func begin() { mark.store(true, ordering: .relaxed) }
}

extension TransportRequest {
    /// Runs `exchange` within the request's time, the body included. The limits of HTTP libraries cover only the head
    /// of a response, or start again with each byte, so a body that trickles in would never meet them.
    ///
    /// Calls `onSilence` once if no answer has begun after `silence`, and goes on. Throws what `exchange` throws, or
    /// `TransportError.timeout`.
    package func inTime<Answer: Sendable>(
        _ answer: AnswerMark, silence: Duration, onSilence: @escaping @Sendable () -> Void,
        exchange: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let quiet = min(silence + hold, timeout)
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await exchange() }
            group.addTask {
                try await Task.sleep(for: quiet)
                if !answer.hasBegun { onSilence() }
                try await Task.sleep(for: timeout - quiet)
                throw TransportError.timeout
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
