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
