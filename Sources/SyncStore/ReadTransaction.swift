package import SyncProtocol
package import SyncSchema

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
    func changes(of key: RowKey, since base: EditBase, bytes: Int) throws -> BoundedList<RowChange>

    // MARK: Records of the server's own

    /// The user's entries from `date` on, by id, behind `after`; no more than `limit`, and than `bytes` of them.
    func inbox(
        of user: Int64, project: String, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) throws -> BoundedList<InboxEntry>
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
