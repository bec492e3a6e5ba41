import Dispatch
import SyncProtocol
package import SyncSchema
package import SyncStore
import Synchronization

/// The simplest possible store. Everything is in one value, and every query looks at all of it. It is the oracle for
/// the SQLite store, and a second implementation that the store's test suite runs on.
package final class ModelStore: SyncStore {
    private let state = Mutex(ModelState())
    private let registry: Registry

    package init(registry: Registry) { self.registry = registry }

    /// A copy of what the other store holds now.
    package init(copying other: ModelStore) {
        registry = other.registry
        let now = other.state.withLock { $0 }
        state.withLock { $0 = now }
    }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        try body(ModelTransaction(state.withLock { $0 }, registry))
    }

    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) throws -> Value {
        try body(ModelTransaction(state.withLock { $0 }, registry))
    }

    package func mark(of scope: MarkScope) -> CommitMark { CommitMark(state.withLock { $0.commits }) }

    /// Runs on its own queue, which may block. A global queue shares its few threads with Swift's tasks.
    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws {
        let (state, registry) = (state.withLock { $0 }, registry)
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "model stream").async {
                continuation.resume(with: Result { try body(ModelTransaction(state, registry), { _ in }) })
            }
        }
    }

    /// Works on a copy, which replaces the state when `body` returns.
    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            let transaction = ModelTransaction(state, registry)
            let value = try body(transaction)
            state = transaction.state
            state.commits += 1
            return value
        }
    }

    /// The model tells nobody of its commits.
    package func onCommit(_ body: @escaping @Sendable () -> Void) {}

    /// The model counts nothing.
    package var metrics: StoreMetrics { StoreMetrics() }
}
