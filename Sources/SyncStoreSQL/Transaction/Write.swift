import Synchronization

/// A write in a queue.
package final class Write<Context, Value: Sendable>: WaitingWrite {
    private let body: @Sendable (Context) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private let outcome = Mutex<Result<Value, any Error>?>(nil)

    package init(
        _ continuation: CheckedContinuation<Value, any Error>, _ body: @escaping @Sendable (Context) throws -> Value
    ) {
        self.body = body
        self.continuation = continuation
    }

    package func run(_ context: Context) throws {
        let value = try body(context)
        outcome.withLock { $0 = .success(value) }
    }

    package func refuse(_ error: any Error) { outcome.withLock { $0 = .failure(error) } }

    package func finish() { continuation.resume(with: outcome.withLock { $0 }!) }

    package func fail(_ error: any Error) { continuation.resume(throwing: error) }
}

/// A write that waits for its turn, whatever its value. From `run` on it is used by one thread at a time.
package protocol WaitingWrite<Context>: Sendable {
    /// What the write runs in.
    associatedtype Context

    /// Runs the body, again if it ran before. Only the last outcome counts. Throws what the body throws.
    func run(_ context: Context) throws
    /// Makes this error the outcome, to be reported when the group is committed.
    func refuse(_ error: any Error)
    /// Resumes the caller with the outcome.
    func finish()
    /// Resumes the caller with this error.
    func fail(_ error: any Error)
}
