package import SyncProtocol
package import SyncSchema

/// What a scan does with a single row of its collection and project. A store says the same of whole ranges.
extension SegmentScan {
    /// Whether the scan reads the row. A row that its owner lost has to be passed as a tombstone of the commit that
    /// took it away.
    package func reads(_ row: StoredRow) -> Bool {
        rows.selects(row, in: collection) && !(isLiveOnly && row.isDeleted) && order(of: row) <= upper
            && (order(of: row), row.id) > (position.seq, position.id)
    }

    /// The list that a row that the scan reads goes to; nil if it is not served.
    package func bucket(of row: StoredRow) -> Buckets? {
        switch form(isDeleted: row.isDeleted, seq: row.seq, life: { row.life }) {
        case .nothing: nil
        case .tombstone: .deleted
        case .live where leavesOut(seq: row.seq, value: { row.values[$0] }): nil
        case .live: isCreated(createdSeq: row.createdSeq, insertedBy: row.insertedBy) ? .created : .updated
        }
    }

    /// The number by which the scan orders the row.
    package func order(of row: StoredRow) -> SyncSeq {
        switch rows {
        case .hidden: row.gateSeq
        case .held, .heldOwn, .heldInserted: row.createdSeq
        case .all, .own, .ungated, .lost: row.seq
        }
    }
}

extension SegmentScan.Rows {
    /// Whether the row is one of them.
    package func selects(_ row: StoredRow, in collection: Collection) -> Bool {
        switch self {
        case .all, .lost, .held: true
        case .own(let field, let user), .heldOwn(let field, let user):
            row.values[collection.position(named: field)] == .int(user)
        case .heldInserted(let user, let own):
            row.insertedBy == user && own.map { row.values[collection.position(named: $0)] == .int(user) } ?? true
        case .ungated: !row.isGated
        case .hidden: row.isGated
        }
    }
}
