package import SyncStore

/// A store with a mistake in what is read of single rows, which drains don't read.
package struct PlantedExplainStore<Base: SyncStore>: ReadPlantingStore {
    package let base: Base
    private let bug: PlantedExplainBug

    package init(base: Base, bug: PlantedExplainBug) { (self.base, self.bug) = (base, bug) }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await base.write(scope, needing: needs, body) }

    package func planted(_ transaction: any ReadTransaction) -> any ReadTransaction {
        (transaction as? any WriteTransaction).map { PlantedExplainTransaction($0, bug) } ?? transaction
    }
}

private final class PlantedExplainTransaction: ForwardingTransaction {
    private let bug: PlantedExplainBug

    init(_ base: any WriteTransaction, _ bug: PlantedExplainBug) {
        self.bug = bug
        super.init(base)
    }

    override func record(_ key: RowKey) throws -> StoredRow? {
        guard var row = try base.record(key) else { return nil }
        switch bug {
        case .gatesNotSeen: row.isGated = false
        case .tombstonesAreOld: if row.isDeleted { row.seq = row.createdSeq }
        case .tombstonesNotSeen: row.isDeleted = false
        }
        return row
    }
}
