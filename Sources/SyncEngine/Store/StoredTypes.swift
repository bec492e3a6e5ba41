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

/// A transaction went on with counters of a project that it has moved itself.
package struct StaleProject: Error {
    package init() {}
}

/// What a user's memberships of a project, past ones included, amount to. Derived from the synced rows by the funnel.
package struct Access: Sendable, Equatable {
    /// Nil for a user who was a member once.
    package var role: Role?
    package var widenedSeq: SyncSeq
    package var narrowedSeq: SyncSeq
    package var history: RoleHistory

    package init(role: Role?, widenedSeq: SyncSeq, narrowedSeq: SyncSeq, history: RoleHistory = .none) {
        self.role = role
        self.widenedSeq = widenedSeq
        self.narrowedSeq = narrowedSeq
        self.history = history
    }
}

/// A row of an own-only collection that changed hands; nil for nobody.
package struct HandOver: Sendable, Equatable {
    package let id: String
    package let from: Int64?
    package let to: Int64?

    package init(id: String, from: Int64?, to: Int64?) {
        self.id = id
        self.from = from
        self.to = to
    }
}

/// How many rows of a collection a project has.
package struct RowCounts: Sendable, Equatable {
    package var live: Int
    package var tombstones: Int

    package init(live: Int, tombstones: Int) {
        self.live = live
        self.tombstones = tombstones
    }
}

/// The idempotency record of a request.
package struct StoredAnswer: Sendable, Equatable {
    package let key: IdempotencyKey
    /// SHA-256 over the canonical form of what was asked, in hex.
    package let bodyHash: String
    /// The answer's body, byte for byte.
    package let response: String
    package let storedAt: Timestamp

    package init(key: IdempotencyKey, bodyHash: String, response: String, storedAt: Timestamp) {
        self.key = key
        self.bodyHash = bodyHash
        self.response = response
        self.storedAt = storedAt
    }
}
