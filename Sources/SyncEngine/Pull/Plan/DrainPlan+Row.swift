import SyncProtocol
import SyncSchema
import SyncStore

extension DrainPlan {
    /// The list in which the drain has the row; nil if it has nothing of it. `lostAt` is the commit that took the row
    /// of an own-only collection from the drain's reader, `head` the one that the drain pins.
    func bucket(
        of row: StoredRow, in collection: Collection, lostAt: SyncSeq?, upTo head: SyncSeq
    ) -> SegmentScan.Buckets? {
        for segment in segments where segment.collection.name == collection.name {
            guard let met = segment.form(of: row, lostAt: lostAt) else { continue }
            let scan = scan(segment, project: row.project, from: .after(segment.lower), upTo: head)
            if scan.reads(met), let bucket = scan.bucket(of: met) { return bucket }
        }
        return nil
    }
}

extension DrainPlan.Segment {
    /// The row as the segment meets it; nil if it can't. A row that its owner lost is a tombstone of the commit that
    /// took it away.
    fileprivate func form(of row: StoredRow, lostAt: SyncSeq?) -> StoredRow? {
        guard case .lost = rows else { return row }
        guard let lostAt else { return nil }
        var lost = row
        (lost.isDeleted, lost.seq) = (true, lostAt)
        return lost
    }
}
