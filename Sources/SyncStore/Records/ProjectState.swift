package import SyncProtocol

/// A project's counters and state. The draft keeps them beside the synced row.
package struct ProjectState: Sendable, Equatable {
    package let id: String
    /// The number of the last commit; zero before the first.
    package var head: SyncSeq
    package var isArchived: Bool
    package var isDeleted: Bool
    /// The greatest `sync_seq` of a purged tombstone. A client with a lower watermark may have missed a tombstone.
    package var horizon: SyncSeq
    /// The head right after the last restore. A lower watermark belongs to the history before the restore.
    package var floor: SyncSeq
    /// Changes at or below this commit may be missing from the change history.
    package let historyFloor: SyncSeq
    /// The last number that was drawn for `short_id`; zero before the first.
    package var lastShortID: Int64

    package init(
        id: String, head: SyncSeq, isArchived: Bool, isDeleted: Bool, horizon: SyncSeq = .zero,
        floor: SyncSeq = .zero, historyFloor: SyncSeq = .zero, lastShortID: Int64 = 0
    ) {
        self.id = id
        self.head = head
        self.isArchived = isArchived
        self.isDeleted = isDeleted
        self.horizon = horizon
        self.floor = floor
        self.historyFloor = historyFloor
        self.lastShortID = lastShortID
    }
}
