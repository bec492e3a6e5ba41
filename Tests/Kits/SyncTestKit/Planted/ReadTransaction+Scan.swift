import NIOCore
import SyncProtocol
import SyncSchema
import SyncStore

extension ReadTransaction {
    /// Serves the rows of a scan without some. It counts them all the same. For scans that give ids alone.
    func scan(
        _ scan: SegmentScan, into page: inout PageWriter, without isLeftOut: (StoredRow) -> Bool
    ) throws -> SegmentScan.Outcome {
        var whole = PageWriter(expectedRows: 0, hasLeft: true)
        whole.begin(scan.collection.name)
        let outcome = try self.scan(scan, into: &whole)
        whole.end()
        let document = try JSON(parsing: Array(whole.changes().readableBytesView) + Array("}".utf8))
        let lists = document["changes"]?[scan.collection.name]
        for (name, bucket) in [("left", SegmentScan.Buckets.left), ("deleted", .deleted)] {
            for id in (lists?[name]?.array ?? []).compactMap(\.string) {
                guard let row = try record(RowKey(scan.collection.name, id)), !isLeftOut(row) else { continue }
                page.id(id, in: bucket)
            }
        }
        return outcome
    }
}
