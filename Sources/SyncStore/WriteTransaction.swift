package import SyncProtocol
package import SyncSchema

/// What a logical write can do. Only `Draft` writes synced rows.
package protocol WriteTransaction: ReadTransaction, AccountWrites, PurgeWrites {
    /// Draws the next commit number of a project that this transaction has read, for a commit at `date`, and `count`
    /// numbers for `short_id` behind the last ones. Throws `StaleProject` where a number was drawn since it was read.
    func drawSeq(of project: ProjectState, shortIDs count: Int64, at date: Instant) throws -> SyncSeq
    /// Starts a project's counter at 0.
    func createProject(_ id: String) throws
    /// Removes all that is stored of a project whose creation has not ended: one that counts as deleted and has no row.
    /// Nothing for any other.
    func forgetUnfinished(_ project: String) throws

    /// Stores new rows, live or tombstones.
    func insert(_ records: [StoredRow], into collection: Collection) throws
    /// Replaces rows, values and stamps.
    func update(_ records: [StoredRow], in collection: Collection) throws
    /// Replaces the stamps, `isDeleted` and the gate of rows whose values are as stored.
    func restamp(_ records: [StoredRow], in collection: Collection) throws
    /// Takes rows out of the way of unique keys until `update` puts their final state.
    func vacate(_ ids: [String], in collection: Collection) throws
    /// Makes every live row of the project in the collection a tombstone of this commit. Returns how many.
    func tombstoneAll(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int
    /// Writes down, for each row, that it is no longer `from`'s since this commit, in place of an earlier loss, and
    /// that it is `to`'s.
    func handOver(_ rows: [HandOver], of collection: Collection, project: String, at seq: SyncSeq) throws
    /// Replaces what is derived from the project's row.
    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws
    func setAccess(project: String, user: Int64, _ access: Access) throws
    /// Adds to the project's counters.
    func addCounts(project: String, collection: String, _ change: RowCounts) throws
    /// Adds to the digest of the audience's live rows.
    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws
    /// Makes all digests of the project those of no rows.
    func dropDigests(project: String) throws
    /// Adds to the change history.
    func remember(_ changes: [RowChange]) throws
    /// Adds a sighting to the change that made this version of the row. Nothing where the history does not have it.
    func note(_ sighting: RowChange.Sighting, of key: RowKey, at version: ServerVersion) throws
    /// Forgets changes from before `date`, `limit` at most, and raises the history floors of their projects. Returns
    /// how many.
    func forgetChanges(before date: Instant, limit: Int) throws -> Int

    /// Puts lost edits into their authors' inboxes, under fresh ids. The same loss takes the place of an earlier one.
    func addToInbox(_ edits: [LostEdit], project: String, at: Instant) throws
    /// False where the user has no such entry.
    func dismiss(_ selection: InboxSelection, of user: Int64, project: String) throws -> Bool
    /// Forgets entries from before `date`, `limit` at most. Returns how many.
    func forgetInbox(before date: Instant, limit: Int) throws -> Int
    /// Replaces what the key was answered before.
    func storeAnswer(_ answer: StoredAnswer) throws
    /// Forgets idempotency records stored before `date`, `limit` at most. Returns how many.
    func forgetAnswers(before date: Instant, limit: Int) throws -> Int
    func setSecret(_ name: String, _ value: String) throws
}
