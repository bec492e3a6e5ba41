package import SyncProtocol
package import SyncSchema

/// The changes that a logical write can make. Only `Draft` writes synced rows. Checks and derived data are the engine's
/// job: a store writes what it gets.
package protocol WriteTransaction: ReadTransaction, AccountWrites, DeviceWrites, FileWrites, NumberWrites, PurgeWrites {
    /// Draws the project's next commit number, together with `count` numbers for `short_id`: those after
    /// `project.lastShortID`. `project` is the state that this transaction has read. Throws `StaleProject` if the
    /// project's head has changed since. The commit must also be recorded with `number`, at the latest by the
    /// transaction that makes its rows visible.
    func drawSeq(of project: ProjectState, shortIDs count: Int64) throws -> SyncSeq
    /// Creates a project's counters, starting at 0, or above every
    /// number lost in a restore. The project must not exist.
    func createProject(_ id: String) throws
    /// Removes everything that is stored for a project whose creation did not finish: one that counts as deleted and
    /// has no row. Does nothing for any other project.
    func forgetUnfinished(_ project: String) throws

    /// Stores new rows, live or tombstones. They may refer to rows that are inserted later in the same transaction.
    func insert(_ records: [StoredRow], into collection: Collection) throws
    /// Replaces stored rows: their values and their stamps.
    func update(_ records: [StoredRow], in collection: Collection) throws
    /// Replaces the stamps, `isDeleted` and the gate of rows whose values
    /// stay as they are stored. The values passed here are ignored.
    func restamp(_ records: [StoredRow], in collection: Collection) throws
    /// Frees the unique keys of these rows until `update` writes their final state in the same transaction. A store
    /// without unique indexes does nothing.
    func vacate(_ ids: [String], in collection: Collection) throws
    /// Turns every live row of the project in the collection into a tombstone of this commit, with the next version.
    /// Returns how many. Counters and digests are the caller's job.
    func tombstoneAll(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int
    /// For each row, records that `from` lost it at this commit,
    /// instead of an earlier loss, and that `to` did not lose it.
    func handOver(_ rows: [HandOver], of collection: Collection, project: String, at seq: SyncSeq) throws
    /// Notes for whom the rows are listed from this commit on, for whom they are no more, and whom it delivers them to.
    func list(_ changes: [ListedChange], of collection: Collection, project: String, at seq: SyncSeq) throws
    /// Names the row to the user again, for whom it was listed once.
    func relist(_ key: RowKey, for user: Int64, at seq: SyncSeq) throws
    /// Replaces the state that is derived from the project's row.
    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws
    /// Replaces the user's access to the project.
    func setAccess(project: String, user: Int64, _ access: Access) throws
    /// Adds `change`, which may be negative, to the project's counters.
    func addCounts(project: String, collection: String, _ change: RowCounts) throws
    /// Combines `change` with the digest of the live rows that this audience sees. The change's count may be negative.
    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws
    /// Resets all digests of the project to those of no rows.
    func dropDigests(project: String) throws
    /// Adds entries to the change history.
    func remember(_ changes: [RowChange]) throws
    /// Adds a sighting to the change that made this version of the
    /// row. Does nothing if the history does not have that change.
    func note(_ sighting: RowChange.Sighting, of key: RowKey, at version: ServerVersion) throws
    /// Deletes changes made before `date`, oldest first, at most `limit`, and raises the history floors of their
    /// projects to the deleted commits. Returns how many.
    func forgetChanges(before date: Instant, limit: Int) throws -> Int

    /// Forgets the values of the user's oldest large changes in the project as long as all of these have more than
    /// `bytes` bytes. Such a change, and all older ones of its row, count as forgotten. Smaller ones than
    /// `LargeRecord.change` are not counted.
    func trimChanges(of user: Int64, project: String, to bytes: Int) throws

    /// Adds lost edits to their authors' inboxes, under new, greater ids. An entry about the same loss is replaced: the
    /// same user, row, field, code and sent value.
    func addToInbox(_ edits: [LostEdit], project: String, at: Instant) throws
    /// Deletes the oldest of the user's entries of the project as long as all together have more than `bytes` bytes.
    func trimInbox(of user: Int64, project: String, to bytes: Int) throws
    /// Deletes the selected entries of the project, or of all projects for nil, from the user's inbox. Returns false if
    /// there were none.
    func dismiss(_ selection: InboxSelection, of user: Int64, project: String?) throws -> Bool
    /// Deletes entries made before `date`, at most `limit`. Returns how many.
    func forgetInbox(before date: Instant, limit: Int) throws -> Int
    /// Adds an entry to the audit list, under a new, greater id.
    func audit(_ entry: AuditEntry) throws
    /// Deletes entries made before `date`, at most `limit`. Returns how many.
    func forgetAudit(before date: Instant, limit: Int) throws -> Int
    /// Stores the answer to a request, instead of an earlier answer to the same key.
    func storeAnswer(_ answer: StoredAnswer) throws
    /// Deletes answers stored before `date`, at most `limit`. Returns how many.
    func forgetAnswers(before date: Instant, limit: Int) throws -> Int
    /// Deletes the user's oldest large answers of the scope as long as all of these have more than `bytes` bytes.
    /// Smaller ones than `LargeRecord.answer` are not counted.
    func trimAnswers(of user: Int64, scope: String, to bytes: Int) throws
    /// Stores a secret of the installation that does not exist yet.
    func setSecret(_ name: String, _ value: String) throws
}

/// Makes existing rows follow a changed schema, for example after a field became a reference. The rules of the engine
/// do this; a store calls it in the transaction of its migration.
package protocol RowMender: Sendable {
    /// Removes the `dead` references of the project and delivers the rows in `again` once more, all in one commit. The
    /// changes are attributed to `author`. Throws `in_use` if a project or a membership would have to be deleted.
    func mend(
        _ dead: [DeadReference], delivering again: [RowKey], of project: String, _ registry: Registry, author: Int64,
        at now: Instant, in transaction: any WriteTransaction
    ) throws -> Mending
}

/// How many rows with dead references were changed and deleted.
package struct Mending: Sendable, Equatable {
    /// The number of rows that lost a reference and stay.
    package var changed = 0
    /// The number of rows that were deleted because they can't be without the reference, cascades included.
    package var deleted = 0

    package init() {}

    package static func += (total: inout Mending, part: Mending) {
        total.changed += part.changed
        total.deleted += part.deleted
    }
}

/// A live row, and a field of it that refers to a row that does not exist or is not live.
package struct DeadReference: Sendable, Hashable {
    package let key: RowKey
    package let field: String

    package init(_ key: RowKey, field: String) {
        self.key = key
        self.field = field
    }
}

/// A row of an own-only collection whose owner changed. Nil stands for no owner.
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

/// Which entries of an inbox to dismiss.
package enum InboxSelection: Sendable, Equatable {
    /// The entry with this id.
    case entry(Int64)
    /// All entries about rows with this id, in any collection.
    case row(String)
}

/// What a commit does to the lists of a row.
package struct ListedChange: Sendable, Equatable {
    package let id: String
    /// Users who see the row from now on.
    package var came: [Int64] = []
    /// Users who don't see it any more. One who also came had the row for this one commit.
    package var went: [Int64] = []
    /// Whether the row is delivered to everybody who stays listed.
    package var isDelivered = false

    package init(id: String) { self.id = id }

    /// How many pairs of row and user it changes, apart from those of users who stay.
    package var count: Int { came.count + went.count }
}
