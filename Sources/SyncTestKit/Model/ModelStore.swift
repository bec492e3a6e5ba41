import Dispatch
import SyncProtocol
package import SyncSchema
package import SyncStore
import Synchronization

/// The store as naive as can be: everything in one value, every question answered by looking at all of it. The oracle
/// for the SQLite store, and a second conformer of the port's suite.
package final class ModelStore: SyncStore {
    private let state = Mutex(ModelState())
    private let registry: Registry

    package init(registry: Registry) { self.registry = registry }

    /// What the other store holds now.
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

    package func readInline<Value>(
        _ scope: StoreScope, _ body: (any ReadTransaction) throws -> Value
    ) throws -> Value {
        try body(ModelTransaction(state.withLock { $0 }, registry))
    }

    package func mark(of scope: MarkScope) -> CommitMark { CommitMark(state.withLock { $0.commits }) }

    /// On a queue of its own, which may block: a global one shares its few threads with Swift's tasks.
    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws {
        let (state, registry) = (state.withLock { $0 }, registry)
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "model stream").async {
                continuation.resume(with: Result { try body(ModelTransaction(state, registry), {}) })
            }
        }
    }

    /// Works on a copy, which takes the state's place when `body` returns.
    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: Needs, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            let transaction = ModelTransaction(state, registry)
            let value = try body(transaction)
            state = transaction.state
            state.commits += 1
            return value
        }
    }
}
