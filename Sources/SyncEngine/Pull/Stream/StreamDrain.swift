import NIOCore
import SyncProtocol
import SyncSchema

/// Writes a whole drain in one transaction, a chunk at a time.
///
/// It scans in steps, as pages do, and hands over what is written when a chunk is full: no more than a chunk and a step is
/// ever held. The wire puts a collection's tombstones behind its rows, so they are scanned for a second time, where the
/// first scan met any, instead of being kept.
struct StreamDrain {
    private static let chunkBytes = 256 << 10
    private static let stepRows = 256
    private static let stepExaminations = 4096

    private let plan: DrainPlan
    private let project: String
    private let start: Cursor
    private let pipe: ChunkPipe
    private let places: StreamPlaces
    private var writer: PageWriter
    private var rows = 0
    private var hasPlace = false

    init(plan: DrainPlan, project: String, at start: Cursor, into pipe: ChunkPipe, _ places: StreamPlaces) {
        self.plan = plan
        self.project = project
        self.start = start
        self.pipe = pipe
        self.places = places
        writer = PageWriter(expectedRows: min(start.total ?? 0, 2 * StreamDrain.stepRows))
    }

    /// Blocks while the client is behind. Throws `busy` in front of the first chunk of a drain that needs a place and finds
    /// none, `StreamCut` later on.
    mutating func run(_ transaction: any ReadTransaction) throws {
        defer { if hasPlace { places.leave() } }
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
            let step = SegmentScan(
                collection: segment.collection, project: project, rows: segment.rows, position: position,
                upper: start.timestamp, knownTombstones: segment.knownTombstones, rowLimit: StreamDrain.stepRows,
                examineLimit: StreamDrain.stepExaminations, part: part)
            let outcome = try transaction.scan(step, into: &writer)
            rows += outcome.served
            if outcome.examined > outcome.served { skips = true }
            try handOver()
            guard outcome.hasMore, let last = outcome.last else { return skips }
            position = last
        }
    }

    private mutating func handOver() throws {
        try pipe.requireTaker()
        guard writer.byteCount >= StreamDrain.chunkBytes else { return }
        if !hasPlace {
            try places.enter()
            hasPlace = true
        }
        try pipe.put(writer.take())
    }
}
