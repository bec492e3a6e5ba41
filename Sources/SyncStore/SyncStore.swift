import SyncProtocol
import SyncSchema

/// The port behind which all data lives. Conformers pass one conformance suite.
///
/// Transactions are serializable: a read sees one committed state from its first look to its last, and writes run one
/// after the other, so that the order of commits is the order of their numbers.
package protocol SyncStore: Sendable {
    /// Runs `body` on one committed state.
    func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on one committed state, on the calling thread where the store can: for a few look-ups by key, since
    /// that thread does nothing else meanwhile.
    func readInline<Value>(
        _ scope: StoreScope, _ body: (any ReadTransaction) throws -> Value
    ) async throws -> Value

    /// The mark of the state that a `readInline` begun now would see, or the same mark as an earlier one's of that state.
    func mark(of scope: MarkScope) async throws -> CommitMark

    /// Runs `body` on one committed state, like `read`, on a thread that may block. `body` calls `WillLast` before it
    /// blocks for the first time. The caller limits how many streams there are and how long they take. Returns when
    /// `body` has.
    func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws

    /// Runs `body` as one logical write. Returns after a durable commit. When `body` throws, the write leaves nothing
    /// behind.
    ///
    /// `body` may run twice: a store undoes the first run and repeats it when a write of the same commit fails. Only
    /// the last run counts, so `body` must change nothing but the transaction, or change it once for both runs.
    func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value

    /// How the store does. Costs next to nothing; the metrics need not be of one moment.
    var metrics: StoreMetrics { get }
}

extension SyncStore {
    /// Runs `body` as one logical write that names no needs.
    package func write<Value: Sendable>(
        _ scope: StoreScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await write(scope, needing: { Needs() }, body)
    }

    /// Of a store that counts nothing.
    package var metrics: StoreMetrics { StoreMetrics() }
}
