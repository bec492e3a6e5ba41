import SyncProtocol
import SyncSchema
import SyncStore

extension StoredRow {
    /// No more changes of a gate are kept: the oldest are forgotten, and the gate counts as having been open.
    private static let mostGateChanges = 32

    mutating func noteGateChange(at seq: SyncSeq) {
        gateChanges = RowLife.knownChanges(gateChanges, gateSeq: gateSeq, createdSeq: createdSeq) + [seq]
        if gateChanges.count > StoredRow.mostGateChanges {
            gateChanges = [.zero] + gateChanges.suffix(StoredRow.mostGateChanges - 2)
        }
        gateSeq = seq
    }
}
