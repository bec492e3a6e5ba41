public import SyncProtocol

/// A project's counters and state, as the funnel keeps them beside the synced row.
public struct ProjectState: Sendable, Equatable {
    public let id: String
    /// The number of the last commit.
    public let head: SyncSeq
    public let isArchived: Bool
    public let isDeleted: Bool

    public init(id: String, head: SyncSeq, isArchived: Bool, isDeleted: Bool) {
        self.id = id
        self.head = head
        self.isArchived = isArchived
        self.isDeleted = isDeleted
    }
}

/// What a user's memberships of a project, past ones included, amount to. Derived from the synced rows by the funnel.
public struct Access: Sendable, Equatable {
    /// Nil for a user who was a member once.
    public var role: Role?
    public var widenedSeq: SyncSeq
    public var narrowedSeq: SyncSeq

    public init(role: Role?, widenedSeq: SyncSeq, narrowedSeq: SyncSeq) {
        self.role = role
        self.widenedSeq = widenedSeq
        self.narrowedSeq = narrowedSeq
    }
}

/// How many rows of a collection a project has.
public struct RowCounts: Sendable, Equatable {
    public var live: Int
    public var tombstones: Int

    public init(live: Int, tombstones: Int) {
        self.live = live
        self.tombstones = tombstones
    }
}

/// An account.
public struct User: Sendable, Equatable {
    public let id: Int64
    public let username: String
    public let displayName: String
    public let isSuperuser: Bool
    public let isDisabled: Bool

    public init(id: Int64, username: String, displayName: String, isSuperuser: Bool, isDisabled: Bool) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.isSuperuser = isSuperuser
        self.isDisabled = isDisabled
    }
}

/// A personal access token, without the secret: that is stored as its SHA-256 alone.
public struct StoredToken: Sendable, Equatable {
    public let userID: Int64
    public let isReadOnly: Bool
    public let expiresAt: Timestamp?

    public init(userID: Int64, isReadOnly: Bool, expiresAt: Timestamp?) {
        self.userID = userID
        self.isReadOnly = isReadOnly
        self.expiresAt = expiresAt
    }
}

/// The idempotency record of a batch.
public struct StoredBatch: Sendable, Equatable {
    public let project: String
    public let userID: Int64
    /// Lower case.
    public let batchID: String
    /// SHA-256 over the canonical form of `changes` and the modes, in hex.
    public let bodyHash: String
    /// The answer's body, byte for byte.
    public let response: String
    public let storedAt: Timestamp

    public init(
        project: String, userID: Int64, batchID: String, bodyHash: String, response: String, storedAt: Timestamp
    ) {
        self.project = project
        self.userID = userID
        self.batchID = batchID
        self.bodyHash = bodyHash
        self.response = response
        self.storedAt = storedAt
    }
}
