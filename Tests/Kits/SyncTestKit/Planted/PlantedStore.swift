package import SyncStore

/// A store with a mistake, or with none. The read transactions of its base must also be write transactions: a mistake
/// needs the whole transaction.
package struct PlantedStore<Base: SyncStore, Bug: StoreBug>: SyncStore {
    package let base: Base
    private let bug: Bug?

    package init(_ base: Base, bug: Bug?) { (self.base, self.bug) = (base, bug) }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(scope, priority: priority, needing: needs) { transaction in
            try body(bug?.planted(in: transaction, isWrite: true) ?? transaction)
        }
    }

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

    private func planted(_ transaction: any ReadTransaction) -> any ReadTransaction {
        guard let bug, let whole = transaction as? any WriteTransaction else { return transaction }
        return bug.planted(in: whole, isWrite: false)
    }
}
