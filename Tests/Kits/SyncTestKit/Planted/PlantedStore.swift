package import SyncStore

/// A store with a mistake, or with none. Three mistakes have no effect here because a store can't make them:
/// `noBodyHash`, `watermarkPerPage` and `answersByNumberAlone`.
package struct PlantedStore<Base: SyncStore>: ReadPlantingStore {
    package let base: Base
    private let bug: PlantedBug?

    package init(_ base: Base, bug: PlantedBug?) {
        self.base = base
        self.bug = bug
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(scope, needing: needs) { transaction in
            try body(bug.map { PlantedTransaction(transaction, $0) } ?? transaction)
        }
    }

    package func planted(_ transaction: any ReadTransaction) -> any ReadTransaction {
        guard let bug, let whole = transaction as? any WriteTransaction else { return transaction }
        return PlantedTransaction(whole, bug)
    }
}
