import SyncProtocol
package import SyncStore

/// A store with a mistake.
package struct PlantedHistoryStore<Base: SyncStore>: ReadPlantingStore {
    package let base: Base
    private let bug: PlantedHistoryBug

    package init(base: Base, bug: PlantedHistoryBug) { (self.base, self.bug) = (base, bug) }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(scope, needing: needs) { try body(PlantedHistoryTransaction($0, bug, isWrite: true)) }
    }

    package func planted(_ transaction: any ReadTransaction) -> any ReadTransaction {
        (transaction as? any WriteTransaction).map { PlantedHistoryTransaction($0, bug, isWrite: false) }
            ?? transaction
    }
}

private final class PlantedHistoryTransaction: ForwardingTransaction {
    private let bug: PlantedHistoryBug
    private let isWrite: Bool

    init(_ base: any WriteTransaction, _ bug: PlantedHistoryBug, isWrite: Bool) {
        (self.bug, self.isWrite) = (bug, isWrite)
        super.init(base)
    }

    override func stints(of user: Int64, in project: String) throws -> [Stint] {
        let stints = try base.stints(of: user, in: project)
        guard bug == .membershipsHaveNoBegin, !isWrite else { return stints }
        return stints.map { Stint(project: $0.project, from: .zero, until: $0.until) }
    }

    override func record(_ key: RowKey) throws -> StoredRow? {
        guard var row = try base.record(key) else { return nil }
        if bug == .gatesWereAlwaysOpen, !isWrite, !row.isGated {
            (row.gateSeq, row.gateChanges) = (row.createdSeq, [])
        }
        return row
    }
}
