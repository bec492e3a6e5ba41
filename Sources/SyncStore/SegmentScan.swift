package import SyncProtocol
package import SyncSchema

/// One range scan of a drain: rows of one collection in one order, from a position up to the pinned head.
package struct SegmentScan: Sendable {
    /// Which rows the scan reads, and in which order.
    package enum Rows: Sendable, Hashable {
        /// All rows, by `(sync_seq, id)`.
        case all
        /// The rows of one user, by `(sync_seq, id)`.
        case own(field: String, user: Int64)
        /// Rows that the gate does not hide, by `(sync_seq, id)`.
        case ungated
        /// Rows that the gate hides now, by `(gate_seq, id)`, served as tombstones. `sight` selects those that the
        /// caller could see after `since`.
        case hidden
        /// Rows that the user owned and no longer does, by the commit
        /// that took them away, then by id, served as tombstones.
        case lost(user: Int64)
        /// All rows, live and dead, by `(created_seq, id)`, served as tombstones. `sight` selects those that the caller
        /// could see. Nothing else about a row stays the same between two pages.
        case held
        /// The same among the rows of one user.
        case heldOwn(field: String, user: Int64)
        /// The same among the rows that the user has inserted. Of a collection whose rows only their owner sees, those
        /// that the user still owns: `own` is the owner's field there, otherwise nil.
        case heldInserted(user: Int64, own: String?)

        /// Whether rows are served as tombstones although they may be live.
        package var servesIDsOnly: Bool {
            switch self {
            case .hidden, .held, .heldOwn, .heldInserted: true
            case .all, .own, .ungated, .lost: false
            }
        }
    }

    package let collection: Collection
    package let project: String
    package let rows: Rows
    /// The scan begins after this position.
    package let position: KeysetPosition
    /// The pinned head: rows above this number are not read.
    package let upper: SyncSeq
    /// The client knows the tombstones up to this commit. The scan does not serve them, even if it starts below.
    package let knownTombstones: SyncSeq
    /// The number of rows that the page can still take.
    package var rowLimit: Int
    /// The number of rows that the scan may still examine, whether it serves them or not.
    package var examineLimit: Int
    /// Whether the scan skips tombstones, for drains that serve none.
    package var isLiveOnly = false
    /// When the caller could see rows of a gated collection. Tombstones of rows that the caller never saw are not
    /// served. Nil serves all tombstones.
    package var sight: (any RowSight)?
    /// Which rows that the client already has are served again; nil serves every row that the scan meets.
    package var oldRows: OldRows?
    package var delivery = Delivery()
    /// The lists that the scan serves rows to. Rows of other lists are skipped.
    package var buckets = Buckets.all
    /// The page size in bytes at which a scan takes no more rows. A page is held in memory, and texts can be long. The
    /// last row may exceed the limit.
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
        /// Rows and tombstones written to the page.
        package var served: Int
        /// Rows read, whether served or not.
        package var examined: Int
        /// The last row examined. A store must set it if `hasMore` is
        /// true and a row was examined; otherwise it may be nil.
        package var last: KeysetPosition?
        /// Whether the segment has further rows after `last`.
        package var hasMore: Bool
        /// The lists of rows that were skipped because the scan does not serve these lists.
        package var passed: Buckets = []

        package init(served: Int = 0, examined: Int = 0, last: KeysetPosition? = nil, hasMore: Bool = false) {
            self.served = served
            self.examined = examined
            self.last = last
            self.hasMore = hasMore
        }

        /// Counts a row of that list. Returns false if the scan does not serve the list.
        package mutating func takes(_ bucket: Buckets, in scan: SegmentScan) -> Bool {
            guard scan.buckets.contains(bucket) else {
                passed.insert(bucket)
                return false
            }
            served += 1
            return true
        }

        /// Whether the scan may examine another row.
        package func hasRoom(in scan: SegmentScan, _ page: borrowing PageWriter) -> Bool {
            served < scan.rowLimit && examined < scan.examineLimit && page.byteCount < scan.byteLimit
        }
    }
}
