import SyncProtocol
package import SyncStore

extension PlantedHistoryBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        PlantedHistoryTransaction(transaction, self, isWrite: isWrite)
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
