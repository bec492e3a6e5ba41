package import SyncProtocol

/// Reads of what a database holds, for whoever operates it. No count costs more than `most` entries of an index: a
/// result of `most` means that there are so many or more.
package protocol StorageReads {
    /// What the whole installation holds.
    func storage(countingUpTo most: Int) throws -> InstallationStorage
    /// What the project holds. The growth counts from the installation's commit `number` on; nil means that there was
    /// no commit.
    func storage(
        of project: String, growingFrom number: CommitNumber?, countingUpTo most: Int
    ) throws -> ProjectStorage
    /// The first commit of the installation that was made at this moment or later. Nil if there is none. Clocks of
    /// several servers differ, so commits next to it may be on the wrong side.
    func firstNumber(from date: Instant) throws -> CommitNumber?
    /// The selected lost edits of all users, without their values, newest first.
    func lostEdits(_ selection: LostEditSelection, limit: Int) throws -> [LostEditNote]
}

/// What a whole database holds.
package struct InstallationStorage: Sendable, Equatable {
    /// The size of the database, without a write-ahead log. Nil if it is on no disk.
    package var bytes: Int64?
    /// The live rows of all projects.
    package var rows = 0
    package var tombstones = 0
    /// Edits in the change history.
    package var history = 0
    /// Stored answers to requests with an idempotency key or a batch id.
    package var answers = 0
    /// Lost edits in inboxes.
    package var inbox = 0

    package init() {}
}

/// What a project holds.
package struct ProjectStorage: Sendable, Equatable {
    /// What was added. Rows that were added and deleted since are tombstones here.
    package struct Growth: Sendable, Equatable {
        package var rows = 0
        package var tombstones = 0
        package var commits = 0

        package init() {}
    }

    /// The number of rows by collection. A collection that has no rows may be missing.
    package var counts: [String: RowCounts] = [:]
    /// Lost edits in inboxes.
    package var rejected = 0
    /// Stored answers to requests with an idempotency key or a batch id.
    package var answers = 0
    /// Digests, one for each collection and audience.
    package var digests = 0
    package var growth = Growth()

    package init() {}
}

/// The number of a project's rows in a collection, or a change of it.
package struct RowCounts: Sendable, Equatable {
    package var live: Int
    package var tombstones: Int

    package init(live: Int, tombstones: Int) {
        self.live = live
        self.tombstones = tombstones
    }
}

/// Which lost edits of all users a query returns; nil means all.
package struct LostEditSelection: Sendable, Equatable {
    /// The author.
    package var user: Int64?
    package var project: String?
    /// Entries with smaller ids.
    package var before: Int64?
    /// Entries made at this moment or later.
    package var since: Instant

    package init(
        user: Int64? = nil, project: String? = nil, before: Int64? = nil, since: Instant = Instant(milliseconds: 0)
    ) {
        self.user = user
        self.project = project
        self.before = before
        self.since = since
    }
}

/// A lost edit without its values, which only its author may read.
package struct LostEditNote: Sendable, Equatable {
    package let id: Int64
    package let project: String
    /// The author.
    package let user: Int64
    package let key: RowKey
    /// Nil if it is a whole row.
    package let field: String?
    package let code: ErrorCode
    package let batchID: String?
    package let at: Instant

    package init(
        id: Int64, project: String, user: Int64, key: RowKey, field: String?, code: ErrorCode, batchID: String?,
        at: Instant
    ) {
        self.id = id
        self.project = project
        self.user = user
        self.key = key
        self.field = field
        self.code = code
        self.batchID = batchID
        self.at = at
    }
}
