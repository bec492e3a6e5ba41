package import SyncProtocol

/// A project's counters and state, as the funnel keeps them beside the synced row.
package struct ProjectState: Sendable, Equatable {
    package let id: String
    /// The number of the last commit.
    package let head: SyncSeq
    package let isArchived: Bool
    package let isDeleted: Bool

    package init(id: String, head: SyncSeq, isArchived: Bool, isDeleted: Bool) {
        self.id = id
        self.head = head
        self.isArchived = isArchived
        self.isDeleted = isDeleted
    }
}

/// What a user's memberships of a project, past ones included, amount to. Derived from the synced rows by the funnel.
package struct Access: Sendable, Equatable {
    /// Nil for a user who was a member once.
    package var role: Role?
    package var widenedSeq: SyncSeq
    package var narrowedSeq: SyncSeq

    package init(role: Role?, widenedSeq: SyncSeq, narrowedSeq: SyncSeq) {
        self.role = role
        self.widenedSeq = widenedSeq
        self.narrowedSeq = narrowedSeq
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

/// An account.
package struct User: Sendable, Equatable {
    package let id: Int64
    package let username: String
    package let displayName: String
    package let isSuperuser: Bool
    package let isDisabled: Bool

    package init(id: Int64, username: String, displayName: String, isSuperuser: Bool, isDisabled: Bool) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.isSuperuser = isSuperuser
        self.isDisabled = isDisabled
    }
}

/// A personal access token, without the secret: that is stored as its SHA-256 alone.
package struct StoredToken: Sendable, Equatable {
    package let userID: Int64
    package let isReadOnly: Bool
    package let expiresAt: Timestamp?

    package init(userID: Int64, isReadOnly: Bool, expiresAt: Timestamp?) {
        self.userID = userID
        self.isReadOnly = isReadOnly
        self.expiresAt = expiresAt
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
