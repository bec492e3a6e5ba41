package import Dispatch
import NIOCore
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import Synchronization

/// Writes a whole drain in one transaction, a chunk at a time.
///
/// It scans in steps, as pages do, and hands over what is written when a chunk is full. It never holds more than a
/// chunk and a row. On the wire, `created` and `deleted` of a collection follow `updated`. Instead of keeping their
/// rows, it scans for them again if the first scan met any.
///
/// The collections come one after the other, and within a collection the projects: a JSON key that comes twice would
/// lose rows.
struct StreamDrain {
    /// What the drain has of one project.
    struct Share {
        let plan: DrainPlan
        let project: String
        /// The project's head during the whole drain.
        let head: SyncSeq

        func buckets(of segment: DrainPlan.Segment) -> SegmentScan.Buckets {
            segment.buckets(plan.delivery)
        }
    }

    /// Rows to examine between two checks that the client is still there.
    private static let stepRows = 4096

    private let shares: [Share]
    private let collections: [Collection]
    private let user: Int64
    /// The members after `changes`, from the number of rows.
    private let trailer: (Int) -> ByteBuffer
    /// Whether the trailer tells something even if there is no row.
    private let trailerTells: Bool
    private let pipe: ChunkPipe
    private let limits: StreamSettings
    private let willLast: WillLast
    private var deadline: StreamDeadline
    private var writer: PageWriter
    private var rows = 0
    private var isLong = false

    /// The drain serves these collections of all shares. `user` is who asks.
    init(
        _ shares: [Share], collections: [Collection], for user: Int64, expectedRows: Int, into pipe: ChunkPipe,
        limits: StreamSettings, willLast: @escaping WillLast, trailerTells: Bool = false,
        trailer: @escaping (Int) -> ByteBuffer
    ) {
        self.trailerTells = trailerTells
        self.shares = shares
        self.collections = collections
        self.user = user
        self.pipe = pipe
        self.limits = limits
        self.willLast = willLast
        self.trailer = trailer
        deadline = limits.deadline
        writer = PageWriter(expectedRows: min(expectedRows, 512), hasLeft: shares.contains { $0.plan.hasLeft })
    }

    /// Blocks while the client is behind. Throws `busy` before the first chunk of a long
    /// drain if no slot is free, and `StreamCut` later on.
    mutating func run(_ transaction: any ReadTransaction) throws {
        defer { if isLong { limits.places.leave(user) } }
        let segments = shares.map(\.plan.collections)
        for (index, collection) in collections.enumerated() {
            try serve(collection, shares: zip(shares, segments).map { ($0, $1[index]) }, in: transaction)
        }
        var document = writer.changes()
        document.writeImmutableBuffer(trailer(rows))
        try pipe.putLast(document, isEmpty: rows == 0 && !trailerTells)
    }

    private mutating func serve(
        _ collection: Collection, shares: [(Share, [DrainPlan.Segment])], in transaction: any ReadTransaction
    ) throws {
        writer.begin(collection.name)
        var buckets = [SegmentScan.Buckets](repeating: [], count: shares.count)
        for (index, (share, segments)) in shares.enumerated() {
            buckets[index] = try updated(share, segments: segments, in: transaction)
        }
        for bucket in [SegmentScan.Buckets.created, .deleted, .left]
        where buckets.contains(where: { $0.contains(bucket) }) {
            writer.open(bucket)
            for (index, (share, segments)) in shares.enumerated() where buckets[index].contains(bucket) {
                for segment in segments where share.buckets(of: segment).contains(bucket) {
                    _ = try scan(share, segment: segment, for: bucket, in: transaction)
                }
            }
        }
        writer.end()
    }

    /// Serves the list `updated`. Returns the other lists that have rows.
    private mutating func updated(
        _ share: Share, segments: [DrainPlan.Segment], in transaction: any ReadTransaction
    ) throws -> SegmentScan.Buckets {
        // All rows go to `created`: a scan for `updated` would find nothing.
        let createsAll = share.plan.delivery.created == SegmentScan.CreatedRows(since: .zero, user: nil)
        if createsAll { return [.created, .deleted] }
        var buckets = SegmentScan.Buckets()
        for segment in segments {
            let own = share.buckets(of: segment)
            guard own.contains(.updated) else {
                buckets.formUnion(own)
                continue
            }
            buckets.formUnion(try scan(share, segment: segment, for: .updated, in: transaction))
        }
        return buckets
    }

    /// Returns the buckets of the rows that the scan passed over.
    private mutating func scan(
        _ share: Share, segment: DrainPlan.Segment, for bucket: SegmentScan.Buckets, in transaction: any ReadTransaction
    ) throws -> SegmentScan.Buckets {
        var position = KeysetPosition.after(segment.lower)
        var passed = SegmentScan.Buckets()
        while true {
            // Hand over first: then each step begins with room and makes progress.
            try handOver()
            let outcome = try transaction.scan(step(share, segment, for: bucket, from: position), into: &writer)
            rows += outcome.served
            passed.formUnion(outcome.passed)
            guard outcome.hasMore else { return passed }
            guard let last = outcome.last else { throw Problem(.internalError, "A stream makes no progress.") }
            position = last
        }
    }

    private func step(
        _ share: Share, _ segment: DrainPlan.Segment, for bucket: SegmentScan.Buckets, from position: KeysetPosition
    ) -> SegmentScan {
        var scan = share.plan.scan(segment, project: share.project, from: position, upTo: share.head)
        scan.buckets = bucket
        scan.byteLimit = limits.chunkBytes
        scan.examineLimit = StreamDrain.stepRows
        return scan
    }

    private mutating func handOver() throws {
        try pipe.requireTaker()
        guard writer.byteCount >= limits.chunkBytes else { return }
        if !isLong {
            try limits.places.enter(user)
            isLong = true
            try willLast { [pipe] in pipe.cut() }
        }
        try pipe.put(writer.take(), &deadline)
    }
}

/// Limits that keep streams from taking all of the store's readers and holding its log.
package struct StreamSettings: Sendable {
    let deadline: StreamDeadline
    let places: StreamLimit
    /// The size of a chunk, in bytes. Its last row may exceed it.
    let chunkBytes: Int

    /// At most `places` streams longer than a chunk run at a time.
    package init(deadline: StreamDeadline = StreamDeadline(), places: Int = 2, chunkBytes: Int = 256 << 10) {
        self.deadline = deadline
        self.places = StreamLimit(places)
        self.chunkBytes = chunkBytes
    }
}

/// Counts the long streams that are running, by user.
final class StreamLimit: Sendable {
    private let count: Int
    private let taken = Mutex([Int64: Int]())

    init(_ count: Int) { self.count = count }

    /// Takes a slot. Throws `busy` if all slots are taken, or if this would give one user all of
    /// several slots. Whoever has taken a slot must `leave`.
    func enter(_ user: Int64) throws {
        try taken.withLock { taken in
            guard taken.values.reduce(0, +) < count else {
                throw Problem(.busy, "Too many large streams are running. Try again, or pull in pages.")
            }
            guard taken[user, default: 0] < max(1, count - 1) else {
                throw Problem(.busy, "You have too many large streams running. Try again, or pull in pages.")
            }
            taken[user, default: 0] += 1
        }
    }

    func leave(_ user: Int64) {
        taken.withLock { $0[user] = $0[user].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
}

/// How long a stream's reader, and with it a read transaction, waits for its client. There is a limit
/// for each wait and one for all waits together, because a client that reads a little now and then holds
/// the transaction too. Each stream has a value of its own.
package struct StreamDeadline: Sendable {
    /// Decrements the semaphore, and blocks for at most the given time. Returns how long it waited; nil if it gave up.
    package typealias Wait = @Sendable (DispatchSemaphore, Duration) -> Duration?

    private let stall: Duration
    private var left: Duration
    private let wait: Wait

    package init(
        stall: Duration = .seconds(30), total: Duration = .seconds(600), _ wait: @escaping Wait = StreamDeadline.clocked
    ) {
        self.stall = stall
        left = total
        self.wait = wait
    }

    /// False if the semaphore was not decremented in time.
    mutating func wait(for semaphore: DispatchSemaphore) -> Bool {
        guard let waited = wait(semaphore, min(stall, left)) else { return false }
        left -= waited
        return true
    }

    /// Waits by the monotonic clock.
    package static let clocked: Wait = { semaphore, limit in
        let start = ContinuousClock.now
        guard TimedWait.wait(for: semaphore, atMost: limit) else { return nil }
        return ContinuousClock.now - start
    }
}

/// Waits for a semaphore, with a limit by the monotonic clock.
///
/// On Linux, `DispatchSemaphore.wait(timeout:)` ends by the wall clock, whatever its deadline is made
/// from: libdispatch's `_dispatch_sema4_timedwait` turns it into time since 1970 for `sem_timedwait`. If
/// that clock were set back by a day meanwhile, a stream that nobody reads would hold its transaction
/// for that day. Dispatch's timers are monotonic.
enum TimedWait {
    /// Tells which of two callers was first.
    private final class Race: Sendable {
        private let isOver = Atomic(false)

        /// True for the first to ask.
        func win() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Blocks until it has decremented the semaphore, or for `limit` at
    /// most. False if it gave up. Then nothing is decremented.
    static func wait(for semaphore: DispatchSemaphore, atMost limit: Duration) -> Bool {
        if semaphore.wait(timeout: .now()) == .success { return true }
        let race = Race()
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { if race.win() { semaphore.signal() } }
        timer.schedule(deadline: .now() + .milliseconds(Int(limit / .milliseconds(1))))
        timer.activate()
        defer { timer.cancel() }
        semaphore.wait()
        return race.win()
    }
}
