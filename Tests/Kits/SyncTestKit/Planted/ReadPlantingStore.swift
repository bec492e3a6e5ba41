package import SyncStore

/// A store that makes mistakes in what is read. The read transactions of its base must also be write transactions: a
/// mistake needs the whole transaction.
package protocol ReadPlantingStore: SyncStore {
    associatedtype Base: SyncStore
    var base: Base { get }
    func planted(_ transaction: any ReadTransaction) -> any ReadTransaction
}

extension ReadPlantingStore {
    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.read(scope) { try body(planted($0)) } }

    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.readInline(scope) { try body(planted($0)) } }

    package func mark(of scope: MarkScope) async throws -> CommitMark { try await base.mark(of: scope) }

    package func onCommit(_ body: @escaping @Sendable () -> Void) { base.onCommit(body) }

    package var metrics: StoreMetrics { base.metrics }

    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(scope) { try body(planted($0), $1) } }
}
