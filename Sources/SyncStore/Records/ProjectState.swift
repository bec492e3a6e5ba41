package import SyncProtocol

/// A project's counters and state, as the funnel keeps them beside the synced row.
package struct ProjectState: Sendable, Equatable {
    package let id: String
    /// The number of the last commit.
    package let head: SyncSeq
    package let isArchived: Bool
    package let isDeleted: Bool
    /// The greatest number of a purged tombstone: a watermark below it may have missed one.
    package var horizon: SyncSeq
    /// The head right after the last restore: a watermark below it is of another history.
    package var floor: SyncSeq
    /// Changes of rows from this commit and before may be missing in the change history.
    package let historyFloor: SyncSeq
    /// The last number that was drawn for `short_id`; the first is 1.
    package let lastShortID: Int64
    /// The hour since 1970 of the last commit, for stores that keep commits by the hour; nil before the first one.
    package let commitHour: Int64?

    package init(
        id: String, head: SyncSeq, isArchived: Bool, isDeleted: Bool, horizon: SyncSeq = .zero,
        floor: SyncSeq = .zero, historyFloor: SyncSeq = .zero, lastShortID: Int64 = 0, commitHour: Int64? = nil
    ) {
        self.id = id
        self.head = head
        self.isArchived = isArchived
        self.isDeleted = isDeleted
        self.horizon = horizon
        self.floor = floor
        self.historyFloor = historyFloor
        self.lastShortID = lastShortID
        self.commitHour = commitHour
    }
}
