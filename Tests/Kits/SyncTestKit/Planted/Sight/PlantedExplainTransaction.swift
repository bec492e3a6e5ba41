package import SyncStore

extension PlantedExplainBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        isWrite ? transaction : PlantedExplainTransaction(transaction, self)
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
