package import SyncProtocol
package import SyncSchema

/// A keyset position inside a segment: the last row examined. Rows behind it have a greater `(seq, id)`.
package struct KeysetPosition: Sendable, Hashable {
    package let seq: SyncSeq
    package let id: String

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// In front of every row above `seq`. Ids are never empty, so nothing of `seq + 1` is left out.
    package static func after(_ seq: SyncSeq) -> KeysetPosition { KeysetPosition(seq: seq.next, id: "") }
}

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
        case hidden(since: SyncSeq, narrowedSeq: SyncSeq)
    }

    /// What is served of the rows.
    package enum Part: Sendable { case everything, live, tombstones }

    package let collection: Collection
    package let project: String
    package let rows: Rows
    package let position: KeysetPosition
    /// The pinned head.
    package let upper: SyncSeq
    /// Tombstones up to here are known to the client, although the scan starts below.
    package let knownTombstones: SyncSeq
    /// Rows that the page can still take.
    package let rowLimit: Int
    /// Rows that may still be looked at, served or not.
    package let examineLimit: Int
    /// Bytes at which the page is full; exceeded by one row at the most.
    package let byteLimit: Int
    package let part: Part

    package init(
        collection: Collection, project: String, rows: Rows, position: KeysetPosition, upper: SyncSeq,
        knownTombstones: SyncSeq, rowLimit: Int, examineLimit: Int, byteLimit: Int = .max, part: Part = .everything
    ) {
        self.collection = collection
        self.project = project
        self.rows = rows
        self.position = position
        self.upper = upper
        self.knownTombstones = knownTombstones
        self.rowLimit = rowLimit
        self.examineLimit = examineLimit
        self.byteLimit = byteLimit
        self.part = part
    }

    /// How a scan ended.
    package struct Outcome: Sendable, Equatable {
        package var served: Int
        package var examined: Int
        /// The last row examined; nil when there was none.
        package var last: KeysetPosition?
        /// Whether rows are left in the segment behind `last`.
        package var hasMore: Bool

        package init(served: Int = 0, examined: Int = 0, last: KeysetPosition? = nil, hasMore: Bool = false) {
            self.served = served
            self.examined = examined
            self.last = last
            self.hasMore = hasMore
        }

        /// Whether the scan may look at another row.
        package func hasRoom(in scan: SegmentScan, _ page: borrowing PageWriter) -> Bool {
            served < scan.rowLimit && examined < scan.examineLimit && page.byteCount < scan.byteLimit
        }
    }

    /// How a row that the scan meets is to be served.
    package enum Form: Sendable { case live, tombstone, nothing }

    /// The one rule for both orders; `seq`, `createdSeq` and `gateSeq` are the row's.
    package func form(isDeleted: Bool, seq: SyncSeq, createdSeq: SyncSeq, gateSeq: SyncSeq) -> Form {
        let form = wholeForm(isDeleted: isDeleted, seq: seq, createdSeq: createdSeq, gateSeq: gateSeq)
        return switch (part, form) {
        case (.live, .tombstone), (.tombstones, .live): .nothing
        default: form
        }
    }

    private func wholeForm(isDeleted: Bool, seq: SyncSeq, createdSeq: SyncSeq, gateSeq: SyncSeq) -> Form {
        guard case .hidden(let since, let narrowedSeq) = rows else {
            guard isDeleted else { return .live }
            return seq > knownTombstones ? .tombstone : .nothing
        }
        let wasOpenBefore = gateSeq > createdSeq && gateSeq > since
        let wasSeenByRole = since < narrowedSeq && createdSeq < narrowedSeq
        let isKnownDeletion = isDeleted && seq <= since
        return (wasOpenBefore || wasSeenByRole) && !isKnownDeletion ? .tombstone : .nothing
    }
}
