import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

extension SQLiteTransaction {
    /// The hot path of a pull. Rows go from SQLite's memory into the page as JSON text, without an object for each row.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        touch(scan.project)
        let layout = layout(scan.collection)
        let cursor = RawRows(try db.cachedStatement(sql: PageQuery.sql(scan, layout)).sqliteStatement)
        defer { cursor.reset() }
        cursor.restart(with: PageQuery.values(scan))
        let encoder = encoder(scan.collection, scan.delivery.encoding)
        let middle = RowEncoder.middle(of: scan.project)
        var outcome = SegmentScan.Outcome()
        while try cursor.step(db) {
            guard outcome.hasRoom(in: scan, page) else {
                outcome.hasMore = true
                break
            }
            outcome.examined += 1
            serve(cursor, scan, encoder, middle, &page, &outcome)
            if !outcome.hasRoom(in: scan, page) { outcome.last = cursor.position(orderedBy: scan.rows) }
        }
        return outcome
    }

    private func serve(
        _ cursor: RawRows, _ scan: SegmentScan, _ encoder: RowEncoder, _ middle: [UInt8], _ page: inout PageWriter,
        _ outcome: inout SegmentScan.Outcome
    ) {
        guard let bucket = cursor.bucket(in: scan), outcome.takes(bucket, in: scan) else { return }
        if bucket == .deleted {
            page.tombstone(cursor.text(0))
        } else {
            cursor.write(encoder, middle, to: &page, isCreated: bucket == .created)
        }
    }
}
