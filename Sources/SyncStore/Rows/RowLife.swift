package import SyncProtocol

/// The commits that created, hid, showed and deleted a row.
package struct RowLife {
    package let createdSeq: SyncSeq
    /// `SyncSeq.maximum` for a live row. A tombstone that never was a live row existed
    /// for its one commit, so it reaches the device that sent the row.
    package let deletedSeq: SyncSeq
    package let isGated: Bool
    package let gateSeq: SyncSeq
    package let gateChanges: [SyncSeq]
    /// Who made the row; nil if that is not known.
    package let insertedBy: Int64?

    /// The parameters are as in `StoredRow`.
    package init(
        createdSeq: SyncSeq, contentSeq: SyncSeq, isDeleted: Bool, isGated: Bool, gateSeq: SyncSeq,
        gateChanges: [SyncSeq], insertedBy: Int64? = nil
    ) {
        self.createdSeq = createdSeq
        deletedSeq = isDeleted ? max(contentSeq, createdSeq.next) : .maximum
        self.isGated = isGated
        self.gateSeq = gateSeq
        (self.gateChanges, self.insertedBy) = (gateChanges, insertedBy)
    }
}

extension StoredRow {
    /// The commits that created, hid, showed and deleted the row.
    package var life: RowLife {
        RowLife(
            createdSeq: createdSeq, contentSeq: contentSeq, isDeleted: isDeleted, isGated: isGated,
            gateSeq: gateSeq, gateChanges: gateChanges, insertedBy: insertedBy)
    }
}
