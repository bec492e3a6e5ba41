package import SyncProtocol
package import SyncSchema

/// One range scan of a drain: rows of one collection in one order, from a position up to the pinned head.
package struct SegmentScan: Sendable {
    /// Which rows, in which order.
    package enum Rows: Sendable, Hashable {
        /// All rows, by `(sync_seq, id)`.
        case all
        /// The rows of one user, by `(sync_seq, id)`.
        case own(field: String, user: Int64)
        /// Rows in front of the gate, by `(sync_seq, id)`.
        case ungated
        /// Rows behind the gate, by `(gate_seq, id)`, as tombstones: those that the caller could see after `since`.
        case hidden
        /// Rows that were the user's and are not now, by the commit that took them away and the id, as tombstones.
        case lost(user: Int64)
    }

    package let collection: Collection
    package let project: String
    package let rows: Rows
    package let position: KeysetPosition
    /// The pinned head.
    package let upper: SyncSeq
    /// Tombstones up to here are known to the client, although the scan starts below.
    package let knownTombstones: SyncSeq
    /// Rows that the page can still take.
    package var rowLimit: Int
    /// Rows that may still be looked at, served or not.
    package var examineLimit: Int
    /// Tombstones are not looked at: for drains that serve none.
    package var isLiveOnly = false
    /// What the caller could see of a gated collection; tombstones of other rows are not served. Nil for no such limit.
    package var sight: (any RowSight)?
    /// What of the rows that a client knows already is served again; nil for all that the scan meets.
    package var oldRows: OldRows?
    package var delivery = Delivery()
    /// Of the buckets that rows belong to, those that are served.
    package var buckets = Buckets.all
    /// Bytes at which a page takes no more rows, as texts may be long and a page is held in memory; exceeded by one row
    /// at most.
    package var byteLimit = 8 << 20

    package init(
        collection: Collection, project: String, rows: Rows, position: KeysetPosition, upper: SyncSeq,
        knownTombstones: SyncSeq, rowLimit: Int = .max, examineLimit: Int = .max
    ) {
        self.collection = collection
        self.project = project
        self.rows = rows
        self.position = position
        self.upper = upper
        self.knownTombstones = knownTombstones
        self.rowLimit = rowLimit
        self.examineLimit = examineLimit
    }

    /// How a scan ended.
    package struct Outcome: Sendable, Equatable {
        package var served: Int
        package var examined: Int
        /// The last row examined; nil when there was none.
        package var last: KeysetPosition?
        /// Whether rows are left in the segment behind `last`.
        package var hasMore: Bool
        /// The buckets of rows that were passed over, because the scan does not serve them.
        package var passed: Buckets = []

        package init(served: Int = 0, examined: Int = 0, last: KeysetPosition? = nil, hasMore: Bool = false) {
            self.served = served
            self.examined = examined
            self.last = last
            self.hasMore = hasMore
        }

        /// Counts a row of that bucket; false where the scan does not serve it.
        package mutating func takes(_ bucket: Buckets, in scan: SegmentScan) -> Bool {
            guard scan.buckets.contains(bucket) else {
                passed.insert(bucket)
                return false
            }
            served += 1
            return true
        }

        /// Whether the scan may look at another row.
        package func hasRoom(in scan: SegmentScan, _ page: borrowing PageWriter) -> Bool {
            served < scan.rowLimit && examined < scan.examineLimit && page.byteCount < scan.byteLimit
        }
    }
}
