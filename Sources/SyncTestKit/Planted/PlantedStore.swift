package import SyncStore

/// A store with a mistake, or with none. Three mistakes have no effect here because a store can't make them:
/// `noBodyHash`, `watermarkPerPage` and `answersByNumberAlone`.
package struct PlantedStore<Base: SyncStore>: SyncStore {
    private let base: Base
    private let bug: PlantedBug?

    /// Wraps `base`, whose read transactions must also be write transactions: a mistake in what is
    /// read needs the whole transaction.
    package init(_ base: Base, bug: PlantedBug?) {
        self.base = base
        self.bug = bug
    }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.read(scope) { try body(planted($0)) } }

    package func readInline<Value>(
        _ scope: StoreScope, _ body: (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.readInline(scope) { try body(planted($0)) } }

    package func mark(of scope: MarkScope) async throws -> CommitMark { try await base.mark(of: scope) }

    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(scope) { try body(planted($0), $1) } }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(scope, needing: needs) { transaction in
            try body(bug.map { PlantedTransaction(transaction, $0) } ?? transaction)
        }
    }

    private func planted(_ transaction: any ReadTransaction) -> any ReadTransaction {
        guard let bug, let whole = transaction as? any WriteTransaction else { return transaction }
        return PlantedTransaction(whole, bug)
    }
}
