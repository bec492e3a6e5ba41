import SyncProtocol
import SyncStore

extension Draft {
    /// Stamps a dirty row. It always gets the commit. Its edit counter
    /// rises for a change of content, and again for a delete.
    ///
    /// A tombstone counts as deleted at the commit that stamped it last. Otherwise a drain from between the delete and
    /// that commit would take it for one that its reader knows.
    func stamp(_ key: RowKey, _ seq: SyncSeq) {
        modify(key) { entry in
            entry.current.seq = seq
            if entry.isNew {
                entry.current.createdSeq = seq
                entry.current.gateSeq = seq
            } else if entry.current.isGated != entry.original?.isGated {
                entry.current.noteGateChange(at: seq)
            }
            if entry.contentChanged { entry.current.version = entry.current.version.next }
            if entry.becameDeleted { entry.current.version = entry.current.version.next }
            if entry.contentChanged || entry.current.isDeleted { entry.current.contentSeq = seq }
        }
    }
}
