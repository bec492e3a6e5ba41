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
        /// The rows that are or were listed for the user, by the commit that delivers them to this user, then by id.
        /// Those that are not listed any more are served as tombstones. `sight` selects those that the user could see.
        case listed(user: Int64)
        /// All rows of a collection with lists, by `(created_seq, id)`, served as tombstones. `sight` selects those
        /// that the user could see, by role or because they were listed.
        case beside(user: Int64, Beside)
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
            case .hidden, .beside, .held, .heldOwn, .heldInserted: true
            case .all, .own, .listed, .ungated, .lost: false
            }
        }

        /// Whether a row is served whatever its number is.
        fileprivate var servesKnown: Bool {
            switch self {
            case .hidden, .held, .heldOwn, .heldInserted: true
            case .all, .own, .listed, .beside, .ungated, .lost: false
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
    /// Which rows of a part the scan serves; nil for all that it meets.
    package var part: PartScan?
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

/// What a scan does with a single row of its collection and project. A store says the same of whole ranges.
extension SegmentScan {
    /// Whether the scan reads the row. A row that its owner lost has to be passed as a tombstone of the commit that
    /// took it away, one of a collection with lists as `StoredRow.listed` or `beside` has it.
    package func reads(_ row: StoredRow) -> Bool {
        rows.selects(row, in: collection) && !(isLiveOnly && row.isDeleted) && order(of: row) <= upper
            && (order(of: row), row.id) > (position.seq, position.id)
    }

    /// The list that a row that the scan reads goes to; nil if it is not served.
    package func bucket(of row: StoredRow) -> Buckets? {
        switch form(isDeleted: row.isDeleted, seq: row.seq, life: { row.life }) {
        case .nothing: nil
        case .tombstone: row.isDeleted ? .deleted : delivery.hidden
        case .live:
            bucket {
                isCreated(createdSeq: row.createdSeq, insertedBy: row.insertedBy)
            } isLeftOut: {
                leavesOut(seq: row.seq) { row.values[$0] }
            }
        }
    }

    /// The number by which the scan orders the row.
    package func order(of row: StoredRow) -> SyncSeq {
        switch rows {
        case .hidden: row.gateSeq
        case .beside, .held, .heldOwn, .heldInserted: row.createdSeq
        case .all, .own, .listed, .ungated, .lost: row.seq
        }
    }
}

extension SegmentScan.Rows {
    /// Whether the row is one of them.
    package func selects(_ row: StoredRow, in collection: Collection) -> Bool {
        switch self {
        case .all, .listed, .lost, .held: true
        case .beside(_, let which): which != .dead || row.isDeleted
        case .own(let field, let user), .heldOwn(let field, let user):
            row.values[collection.position(named: field)] == .int(user)
        case .heldInserted(let user, let own):
            row.insertedBy == user && own.map { row.values[collection.position(named: $0)] == .int(user) } ?? true
        case .ungated: !row.isGated
        case .hidden: row.isGated
        }
    }
}

extension SegmentScan {
    /// How rows are written. It is the same for all segments of a drain.
    package struct Delivery: Sendable, Hashable {
        package let encoding: WireEncoding
        /// Which rows go to `created`; nil if all live rows go to `updated`.
        package let created: CreatedRows?
        /// Where ids go of rows that leave the part: `left`, or `deleted` for clients that don't know the other list.
        package let left: Buckets
        /// Where ids go of other live rows: `deleted`, or the same as `left` if their project has left the part.
        package let hidden: Buckets

        package init(
            encoding: WireEncoding = .json, created: CreatedRows? = nil, left: Buckets = .left,
            hidden: Buckets = .deleted
        ) {
            self.encoding = encoding
            self.created = created
            self.left = left
            self.hidden = hidden
        }
    }

    /// The rows that go to `created`: those inserted after `since`, except the ones that `user` inserted from the
    /// commit `from` on.
    package struct CreatedRows: Sendable, Hashable {
        let since: SyncSeq
        /// Nil if it does not matter who inserted a row.
        let user: Int64?
        let from: SyncSeq

        package init(since: SyncSeq, user: Int64?, from: SyncSeq = .zero) {
            self.since = since
            self.user = user
            self.from = from
        }
    }

    /// Restricts a scan over rows that the client already has. Live rows up to commit `upTo` are served only if one of
    /// the fields at these positions has a value that the client does not have in a new column.
    package struct OldRows: Sendable, Hashable {
        let upTo: SyncSeq
        let positions: [Int]

        package init(upTo: SyncSeq, positions: [Int]) {
            self.upTo = upTo
            self.positions = positions
        }
    }

    /// Whether a live row goes to `created` instead of `updated`.
    package func isCreated(createdSeq: SyncSeq, insertedBy: Int64?) -> Bool {
        guard let created = delivery.created else { return false }
        return createdSeq > created.since
            && (created.user == nil || insertedBy != created.user || createdSeq < created.from)
    }

    /// Whether a live row is left out because of `oldRows`. `value` returns
    /// the row's value at a field position, and is called only for old rows.
    package func leavesOut(seq: SyncSeq, value: (Int) -> JSON) -> Bool {
        guard let oldRows, seq <= oldRows.upTo else { return false }
        return oldRows.positions.allSatisfy { delivery.encoding.isUnset(value($0), of: collection.fields[$0]) }
    }
}

extension SegmentScan {
    /// The lists of a collection on the wire.
    package struct Buckets: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let updated = Buckets(rawValue: 1)
        package static let created = Buckets(rawValue: 2)
        package static let deleted = Buckets(rawValue: 4)
        package static let left = Buckets(rawValue: 8)
        package static let all: Buckets = [.updated, .created, .deleted, .left]
    }

    /// The list that a live row goes to, if it is served for the sake of its part.
    package func bucket(isCreated: () -> Bool, isLeftOut: () -> Bool) -> Buckets? {
        switch part?.role {
        case nil, .present: oldRows != nil && isLeftOut() ? nil : isCreated() ? .created : .updated
        // Rows for a new column are there already.
        case .coming: oldRows == nil || isLeftOut() ? .updated : nil
        case .leaving: delivery.left
        }
    }

    /// How a scan serves a row.
    package enum Form: Sendable { case live, tombstone, nothing }

    /// Decides how to serve a row that the scan meets. `seq` is the row's `sync_seq`, also when the scan is sorted by
    /// `gate_seq`. `life` is called only if the answer depends on it.
    package func form(isDeleted: Bool, seq: SyncSeq, life: () -> RowLife) -> Form {
        guard isDeleted || rows.servesIDsOnly else { return .live }
        guard seq > knownTombstones || rows.servesKnown else { return .nothing }
        return sight?.saw(life()) ?? true ? .tombstone : .nothing
    }
}

/// Knows when a caller could see rows of a gated collection. This decides whether the id of a hidden row is sent in
/// `deleted`. The engine implements it. A store asks it for each tombstone of a gated collection that a scan meets, and
/// for each row that the scan serves as a tombstone because the gate hides it.
package protocol RowSight: Sendable {
    /// Whether there was a moment at which the caller could see the row.
    func saw(_ life: RowLife) -> Bool
}

/// A position inside a segment: the `(seq, id)` of the last row examined. The scan continues with rows that have a
/// greater `(seq, id)`. `seq` is the number that the segment is sorted by.
package struct KeysetPosition: Sendable, Hashable {
    package let seq: SyncSeq
    package let id: String

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// Before the first row above `seq`. Ids are never empty, so no row of `seq + 1` is skipped.
    package static func after(_ seq: SyncSeq) -> KeysetPosition { KeysetPosition(seq: seq.next, id: "") }
}
