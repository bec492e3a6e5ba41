import SyncProtocol
import SyncSchema
package import SyncStore

/// Decides how a scan serves a row that has all columns.
extension SQLRow {
    /// The list of the page that the row goes to; nil if the row is not served.
    @inlinable
    package func bucket(in scan: SegmentScan) -> SegmentScan.Buckets? {
        switch form(in: scan) {
        case .nothing: nil
        case .tombstone: .deleted
        case .live where scan.oldRows != nil && isLeftOut(of: scan): nil
        case .live: scan.delivery.created != nil && isCreated(in: scan) ? .created : .updated
        }
    }

    @usableFromInline
    package func isCreated(in scan: SegmentScan) -> Bool {
        scan.isCreated(createdSeq: seq(.createdSeq), insertedBy: insertedBy)
    }

    @usableFromInline
    package func isLeftOut(of scan: SegmentScan) -> Bool {
        scan.leavesOut(seq: seq(.seq)) { position in
            value(SystemColumn.count + Int32(position), scan.collection.fields[position].value)
        }
    }

    @inlinable
    package func form(in scan: SegmentScan) -> SegmentScan.Form {
        let isDeleted = integer(.isDeleted) != 0
        return scan.form(isDeleted: isDeleted, seq: seq(.seq)) {
            RowLife(
                createdSeq: seq(.createdSeq), contentSeq: seq(.contentSeq), isDeleted: isDeleted,
                isGated: integer(.isGated) != 0, gateSeq: seq(.gateSeq), gateChanges: gateChanges,
                insertedBy: insertedBy)
        }
    }

    /// The scan's position at this row.
    package func position(orderedBy rows: SegmentScan.Rows) -> KeysetPosition {
        let column: SystemColumn =
            switch rows {
            case .hidden: .gateSeq
            case .held, .heldOwn, .heldInserted: .createdSeq
            case .all, .own, .ungated, .lost: .seq
            }
        return KeysetPosition(seq: seq(column), id: string(.id))
    }
}
