import SyncProtocol
import SyncSchema
import SyncStore

extension StoredRow {
    /// The most gate changes that are kept. Older ones are forgotten, and the gate counts as having been open then.
    private static let mostGateChanges = 32

    /// Records that the row's gate opened or closed at this commit.
    mutating func noteGateChange(at seq: SyncSeq) {
        gateChanges = RowLife.knownChanges(gateChanges, gateSeq: gateSeq, createdSeq: createdSeq) + [seq]
        if gateChanges.count > StoredRow.mostGateChanges {
            gateChanges = [.zero] + gateChanges.suffix(StoredRow.mostGateChanges - 2)
        }
        gateSeq = seq
    }
}
