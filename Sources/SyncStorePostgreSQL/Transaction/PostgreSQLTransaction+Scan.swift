import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

extension PostgreSQLTransaction {
    /// The hot path of a pull. Rows come in chunks, each by the key of the last row before it. The next chunk is asked
    /// for before this one is encoded. Rows go from libpq's memory into the page as JSON text, without an object for
    /// each row.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        try touch(scan.project)
        var outcome = SegmentScan.Outcome()
        var chunks = ScanChunks(scan, tables[scan.collection], session)
        let encoder = tables[scan.collection].encoder(scan.delivery.encoding)
        let middle = RowEncoder.middle(of: scan.project)
        while let chunk = try chunks.next(after: outcome) {
            for row in chunk.rows {
                guard outcome.hasRoom(in: scan, page) else {
                    outcome.hasMore = true
                    return outcome
                }
                outcome.examined += 1
                serve(row, scan, encoder, middle, &page, &outcome)
                if !outcome.hasRoom(in: scan, page) { outcome.last = row.position(orderedBy: scan.rows) }
            }
        }
        return outcome
    }

    private func serve(
        _ row: ResultRow, _ scan: SegmentScan, _ encoder: RowEncoder, _ middle: [UInt8], _ page: inout PageWriter,
        _ outcome: inout SegmentScan.Outcome
    ) {
        guard let bucket = row.bucket(in: scan), outcome.takes(bucket, in: scan) else { return }
        if bucket == .deleted {
            page.tombstone(row.text(0))
        } else {
            row.write(encoder, middle, to: &page, isCreated: bucket == .created)
        }
    }
}

/// The rows of a scan, some hundred at a time.
private struct ScanChunks {
    /// A chunk that is on its way.
    private final class Asked {
        let size: Int
        var result: Result<ResultSet, DatabaseError>?

        init(size: Int) { self.size = size }
    }

    private static let smallest = 250
    /// The memory that a chunk should take at most.
    private static let bytes = 1 << 20

    private let scan: SegmentScan
    private let sql: String
    private let session: Session
    private var position: KeysetPosition
    private var size = Self.smallest
    private var asked: Asked?
    private var isLast = false

    init(_ scan: SegmentScan, _ table: CollectionTable, _ session: Session) {
        self.scan = scan
        self.session = session
        position = scan.position
        sql = PageQuery.sql(scan, table.layout) + " LIMIT ?\(PageQuery.values(scan).count + 1)"
    }

    /// The next chunk; nil at the end. `outcome` is that of all chunks before.
    mutating func next(after outcome: SegmentScan.Outcome) throws -> ResultSet? {
        guard !isLast else { return nil }
        if asked == nil { try ask(for: room(outcome, ahead: 0)) }
        try session.connection.arrive()
        guard let asked, let chunk = try asked.result?.get() else { return nil }
        self.asked = nil
        isLast = chunk.count < asked.size
        guard !isLast, chunk.count > 0 else { return chunk }
        position = chunk[chunk.count - 1].position(orderedBy: scan.rows)
        size = max(Self.smallest, min(4 * size, Self.bytes / max(1, chunk.memory / chunk.count)))
        if room(outcome, ahead: chunk.count) >= 0 { try ask(for: room(outcome, ahead: chunk.count)) }
        return chunk
    }

    /// How many more rows the scan may take, if it takes `count` before.
    private func room(_ outcome: SegmentScan.Outcome, ahead count: Int) -> Int {
        min(scan.rowLimit - outcome.served, scan.examineLimit - outcome.examined) - count
    }

    /// Asks for that many rows and one more, which shows whether there are more.
    private mutating func ask(for room: Int) throws {
        let asked = Asked(size: min(max(0, room), size) + 1)
        var values = PageQuery.values(scan)
        (values[1], values[2]) = (.int(position.seq.rawValue), .string(position.id))
        try session.send(sql, values + [.int(Int64(asked.size))]) { asked.result = $0 }
        try session.connection.depart()
        self.asked = asked
    }
}
