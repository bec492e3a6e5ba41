package import SyncProtocol
package import SyncSchema

/// The port behind which all data lives. Conformers pass one conformance suite.
///
/// Transactions are serializable: a read sees one committed state from its first look to its last, and writes run one
/// after the other, so that the order of commits is the order of their numbers.
package protocol SyncStore: Sendable {
    /// Runs `body` on one committed state.
    func read<Value: Sendable>(_ body: @Sendable (any ReadTransaction) throws -> Value) async throws -> Value

    /// Runs `body` on one committed state at once, on the calling thread: for a few look-ups by key, since that thread
    /// does nothing else meanwhile.
    func glance<Value>(_ body: (any ReadTransaction) throws -> Value) throws -> Value

    /// The mark of the state that a `glance` begun now would see, or an earlier one's of the same state.
    func commitMark() throws -> CommitMark

    /// As `commitMark`, but for what tells whom a credential speaks for: it may stay the same after commits that took
    /// nothing from any user, token or session.
    func accountMark() throws -> CommitMark

    /// Runs `body` on one committed state, like `read`, on a thread that may block. Before it does for the first time,
    /// it calls `WillLast`; whoever streams limits how many and how long. Returns when `body` has.
    func stream(_ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void) async throws

    /// Runs `body` as one logical write. Returns after a durable commit. When `body` throws, the write leaves nothing
    /// behind.
    ///
    /// `body` may run twice: a store undoes the first run and repeats it when a write of the same commit fails. Only
    /// the last run counts, so `body` must change nothing but the transaction, or change it once for both runs.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any WriteTransaction) throws -> Value) async throws
        -> Value

    /// How the store does. Costs next to nothing; the figures need not be of one moment.
    var figures: StoreFigures { get }
}

extension SyncStore {
    /// Of a store that counts nothing.
    package var figures: StoreFigures { StoreFigures() }
}

/// Tells committed states apart: it is another one after every commit, whoever made it, this process or another one. It
/// means nothing outside this process.
package struct CommitMark: Hashable, Sendable {
    private let rawValue: Int64

    /// Numbers that grow with every commit.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    func isOlder(than other: CommitMark) -> Bool { rawValue < other.rawValue }
}

/// Says that the read transaction will last. Throws `busy` where the store can't stand another one now.
package typealias WillLast = @Sendable () throws -> Void

/// What can be asked of one committed state (and, in a write, of its own changes so far).
package protocol ReadTransaction: AccountReads, PurgeReads {
    // MARK: Access

    func project(_ id: String) throws -> ProjectState?
    func access(project: String, user: Int64) throws -> Access?
    /// Live projects that the user is a member of (all, for nil), by id, behind `after`.
    func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow]

    // MARK: Rows

    /// The row, live or tombstone, of whatever project.
    func record(_ key: RowKey) throws -> StoredRow?
    /// Live rows of the project whose `field` is one of `values`, or whose list `field` holds one of them: each row
    /// once, in any order. Null is never held.
    func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
        -> [StoredRow]
    /// All live rows of the project.
    func records(in collection: Collection, project: String) throws -> [StoredRow]
    /// Live rows that have these values in the key's fields and meet its condition.
    func records(in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]) throws
        -> [StoredRow]
    /// Live rows of the project in the order of their creation, behind `after`: of `.all`, `.own` or `.ungated`.
    func list(
        _ collection: Collection, project: String, rows: SegmentScan.Rows, after: CreationPosition, limit: Int
    ) throws -> [StoredRow]
    /// The ids of live rows that meet the listing's filters, in the order of its sort keys, rows that are equal in all
    /// of them in that of their creation (projects by id), behind its place.
    func ids(of listing: Listing) throws -> [String]
    /// Serves the rows of one segment of a drain in its order.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome
    /// Whether the user had the row of an own-only collection, and has it no more. May be forgotten with a purge.
    func isFormerOwner(_ user: Int64, of key: RowKey, project: String) throws -> Bool
    /// Rows per collection, from counters that the funnel keeps.
    func counts(project: String) throws -> [String: RowCounts]
    /// The last commit at which one of the project's rows that are behind a gate now came to be so; zero for no such
    /// row.
    func lastConcealment(project: String, in collection: Collection) throws -> SyncSeq
    /// What the live rows of an audience come to, per collection, from digests that the funnel keeps: one range of an
    /// index, whatever the number of rows. A collection that has none may be missing.
    func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest]

    /// What happened to the row's content since, the newest first, as far as `bytes` of it go.
    func changes(of key: RowKey, since base: EditBase, bytes: Int) throws -> CutList<RowChange>

    // MARK: Records of the server's own

    /// The user's entries from `date` on, by id, behind `after`; no more than `limit`, and than `bytes` of them.
    func inbox(
        of user: Int64, project: String, since date: Timestamp, after: Int64, limit: Int, bytes: Int
    ) throws -> CutList<InboxEntry>
    func answer(to key: IdempotencyKey) throws -> StoredAnswer?
    /// A secret of the installation, made on first start.
    func secret(_ name: String) throws -> String?
}

extension ReadTransaction {
    /// Live rows of the project whose `field` is `value`, or whose list `field` holds it.
    package func records(in collection: Collection, project: String, where field: Field, holds value: JSON) throws
        -> [StoredRow]
    {
        try records(in: collection, project: project, where: field, holdsAny: [value])
    }
}

/// What a logical write can do. Only `Draft` writes synced rows.
package protocol WriteTransaction: ReadTransaction, AccountWrites, PurgeWrites {
    /// Draws the next commit number of a project that this transaction has read, for a commit at `date`, and `count`
    /// numbers for `short_id` behind the last ones. Throws `StaleProject` where a number was drawn since it was read.
    func drawSeq(of project: ProjectState, shortIDs count: Int64, at date: Timestamp) throws -> SyncSeq
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
    func bury(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int
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
    func forgetChanges(before date: Timestamp, limit: Int) throws -> Int

    /// Puts lost edits into their authors' inboxes, under fresh ids. The same loss takes the place of an earlier one.
    func addToInbox(_ edits: [LostEdit], project: String, at: Timestamp) throws
    /// False where the user has no such entry.
    func dismiss(_ selection: InboxSelection, of user: Int64, project: String) throws -> Bool
    /// Forgets entries from before `date`, `limit` at most. Returns how many.
    func forgetInbox(before date: Timestamp, limit: Int) throws -> Int
    /// Replaces what the key was answered before.
    func storeAnswer(_ answer: StoredAnswer) throws
    /// Forgets idempotency records stored before `date`, `limit` at most. Returns how many.
    func forgetAnswers(before date: Timestamp, limit: Int) throws -> Int
    func setSecret(_ name: String, _ value: String) throws
}
