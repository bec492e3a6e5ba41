import NIOCore
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Writes a whole drain in one transaction, a chunk at a time.
///
/// It scans in steps, as pages do, and hands over what is written when a chunk is full. It never holds more than a
/// chunk and a row. On the wire, `created` and `deleted` of a collection follow `updated`. Instead of keeping their
/// rows, it scans for them again if the first scan met any.
struct StreamDrain {
    /// Rows to examine between two checks that the client is still there.
    private static let stepRows = 4096

    private let plan: DrainPlan
    private let project: String
    private let user: Int64
    /// The project's head during the whole drain.
    let head: SyncSeq
    private let total: Int?
    private let digest: String
    private let pipe: ChunkPipe
    private let limits: StreamSettings
    private let willLast: WillLast
    private var deadline: StreamDeadline
    private var writer: PageWriter
    private var rows = 0
    private var isLong = false

    init(
        _ page: PagePlan, total: Int?, digest: String, into pipe: ChunkPipe, _ limits: StreamSettings,
        _ willLast: @escaping WillLast
    ) {
        plan = page.drain
        project = page.request.project
        user = page.view.access.caller.userID
        head = page.start.timestamp
        self.total = total
        self.digest = digest
        self.pipe = pipe
        self.limits = limits
        deadline = limits.deadline
        self.willLast = willLast
        writer = PageWriter(expectedRows: min(total ?? 0, 512))
    }

    /// Blocks while the client is behind. Throws `busy` before the first chunk of a long
    /// drain if no slot is free, and `StreamCut` later on.
    mutating func run(_ transaction: any ReadTransaction) throws {
        defer { if isLong { limits.places.leave(user) } }
        for segments in plan.collections { try serve(segments, transaction) }
        try pipe.putLast(
            writer.finish(
                PageTrailer(
                    timestamp: head, nextCursor: nil, rows: rows, total: total, digest: digest)))
    }

    private mutating func serve(_ segments: [DrainPlan.Segment], _ transaction: any ReadTransaction) throws {
        writer.begin(segments[0].collection.name)
        var buckets: SegmentScan.Buckets = segments.contains(where: \.isOutOfSight) ? .deleted : []
        // All rows go to `created`: a scan for `updated` would find nothing.
        let createsAll = plan.delivery.created == SegmentScan.CreatedRows(since: .zero, user: nil)
        if createsAll { buckets = [.created, .deleted] }
        for segment in segments where !segment.isOutOfSight && !createsAll {
            buckets.formUnion(try scan(segment, for: .updated, transaction))
        }
        for bucket in [SegmentScan.Buckets.created, .deleted] where buckets.contains(bucket) {
            writer.open(bucket)
            for segment in segments { _ = try scan(segment, for: bucket, transaction) }
        }
        writer.end()
    }

    /// Returns the buckets of the rows that the scan passed over.
    private mutating func scan(
        _ segment: DrainPlan.Segment, for bucket: SegmentScan.Buckets, _ transaction: any ReadTransaction
    ) throws -> SegmentScan.Buckets {
        var (position, passed) = (KeysetPosition.after(segment.lower), SegmentScan.Buckets())
        while true {
            // Hand over first: then each step begins with room and makes progress.
            try handOver()
            let outcome = try transaction.scan(step(segment, for: bucket, from: position), into: &writer)
            rows += outcome.served
            passed.formUnion(outcome.passed)
            guard outcome.hasMore else { return passed }
            guard let last = outcome.last else { throw Problem(.internalError, "A stream makes no progress.") }
            position = last
        }
    }

    private func step(
        _ segment: DrainPlan.Segment, for bucket: SegmentScan.Buckets, from position: KeysetPosition
    ) -> SegmentScan {
        var scan = plan.scan(segment, project: project, from: position, upTo: head)
        (scan.buckets, scan.byteLimit, scan.examineLimit) = (bucket, limits.chunkBytes, StreamDrain.stepRows)
        return scan
    }

    private mutating func handOver() throws {
        try pipe.requireTaker()
        guard writer.byteCount >= limits.chunkBytes else { return }
        if !isLong {
            try limits.places.enter(user)
            isLong = true
            try willLast()
        }
        try pipe.put(writer.take(), &deadline)
    }
}
