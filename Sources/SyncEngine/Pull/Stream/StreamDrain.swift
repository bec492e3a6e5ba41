import NIOCore
import SyncProtocol
import SyncSchema

/// Writes a whole drain in one transaction, a chunk at a time.
///
/// It scans in steps, as pages do, and hands over what is written when a chunk is full: no more than a chunk and a row is
/// ever held here. The wire puts a collection's tombstones behind its rows, so they are scanned for a second time, where the
/// first scan met any, instead of being kept.
struct StreamDrain {
    /// Rows looked at between two looks at whether the client is still there.
    private static let stepRows = 4096

    private let plan: DrainPlan
    private let project: String
    private let start: Cursor
    private let pipe: ChunkPipe
    private let limits: StreamLimits
    private var writer: PageWriter
    private var rows = 0
    private var hasPlace = false

    init(plan: DrainPlan, project: String, at start: Cursor, into pipe: ChunkPipe, _ limits: StreamLimits) {
        self.plan = plan
        self.project = project
        self.start = start
        self.pipe = pipe
        self.limits = limits
        writer = PageWriter(expectedRows: min(start.total ?? 0, 512))
    }

    /// Blocks while the client is behind. Throws `busy` in front of the first chunk of a drain that needs a place and finds
    /// none, `StreamCut` later on.
    mutating func run(_ transaction: any ReadTransaction) throws {
        defer { if hasPlace { limits.places.leave() } }
        for segments in plan.buckets { try serve(segments, transaction) }
        try pipe.putLast(writer.finish(timestamp: start.timestamp, nextCursor: nil, rows: rows, total: start.total))
    }

    private mutating func serve(_ segments: [DrainPlan.Segment], _ transaction: any ReadTransaction) throws {
        writer.begin(segments[0].collection.name)
        var hasTombstones = segments.contains(where: \.isHidden)
        for segment in segments where !segment.isHidden {
            if try scan(segment, .live, transaction) { hasTombstones = true }
        }
        if hasTombstones {
            writer.beginTombstones()
            for segment in segments { _ = try scan(segment, .tombstones, transaction) }
        }
        writer.end()
    }

    /// Returns whether there were rows that this part does not serve.
    private mutating func scan(
        _ segment: DrainPlan.Segment, _ part: SegmentScan.Part, _ transaction: any ReadTransaction
    ) throws -> Bool {
        var (position, skips) = (KeysetPosition.after(segment.lower), false)
        while true {
            // First, so that each step begins with room and gets on.
            try handOver()
            let step = SegmentScan(
                collection: segment.collection, project: project, rows: segment.rows, position: position,
                upper: start.timestamp, knownTombstones: segment.knownTombstones, rowLimit: .max,
                examineLimit: StreamDrain.stepRows, byteLimit: limits.chunkBytes, part: part)
            let outcome = try transaction.scan(step, into: &writer)
            rows += outcome.served
            if outcome.examined > outcome.served { skips = true }
            guard outcome.hasMore else { return skips }
            guard let last = outcome.last else { throw Problem(.internalError, "A stream does not get on.") }
            position = last
        }
    }

    private mutating func handOver() throws {
        try pipe.requireTaker()
        guard writer.byteCount >= limits.chunkBytes else { return }
        if !hasPlace {
            try limits.places.enter()
            hasPlace = true
        }
        try pipe.put(writer.take())
    }
}
