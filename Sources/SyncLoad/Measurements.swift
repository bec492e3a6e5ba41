import Histogram
import NIOCore

/// What a run measured. Latencies are in nanoseconds, in HDR histograms with three significant digits.
struct Measurements: Sendable {
    /// The totals of one kind of work.
    struct KindTotals: Sendable {
        var latencies = Histogram<UInt64>(
            highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
        var count = 0
        var rows = 0
        /// The bytes of response bodies as received, before inflating.
        var bytes = 0
        /// The longest latency, not rounded.
        var slowest: UInt64 = 0
    }

    /// One second of the run, for one kind of work.
    struct Second: Sendable, Equatable {
        var count = 0
        var rows = 0
        var bytes = 0
        /// The longest latency among the answers of this second, in nanoseconds.
        var slowest: UInt64 = 0
    }

    private(set) var totals: [LoadKind: KindTotals] = [:]
    /// One element for each second after `beginning`, including the warm-up.
    private(set) var seconds: [LoadKind: [Second]] = [:]
    /// When the clients began, when counting began, and when the last counted answer came.
    private(set) var beginning: NIODeadline
    private(set) var start: NIODeadline
    private(set) var end: NIODeadline

    init(beginning: NIODeadline? = nil, start: NIODeadline) {
        self.beginning = beginning ?? start
        self.start = start
        end = start
    }

    /// Adds an answer. Its latency is from `begun` to `done`. In the warm-up it counts only in `seconds`.
    mutating func record(
        _ kind: LoadKind, from begun: NIODeadline, to done: NIODeadline, bytes: Int = 0, rows: Int = 0
    ) {
        guard done >= beginning else { return }
        let nanoseconds = UInt64(max(0, (done - begun).nanoseconds))
        let second = Int((done - beginning).nanoseconds / 1_000_000_000)
        let news = Second(count: 1, rows: rows, bytes: bytes, slowest: nanoseconds)
        seconds[kind, default: []].add(news, at: second)
        guard done >= start else { return }
        totals[kind, default: KindTotals()].add(nanoseconds, bytes: bytes, rows: rows)
        end = max(end, done)
    }

    /// Adds what another event loop measured in the same time.
    static func += (left: inout Self, right: Self) {
        for (kind, total) in right.totals { left.totals[kind, default: KindTotals()].add(total) }
        for (kind, seconds) in right.seconds {
            for (index, second) in seconds.enumerated() { left.seconds[kind, default: []].add(second, at: index) }
        }
        left.beginning = min(left.beginning, right.beginning)
        left.start = min(left.start, right.start)
        left.end = max(left.end, right.end)
    }
}

extension [Measurements.Second] {
    fileprivate mutating func add(_ news: Measurements.Second, at index: Int) {
        while count <= index { append(Measurements.Second()) }
        self[index] += news
    }
}

extension Measurements.Second {
    static func += (left: inout Self, right: Self) {
        left.count += right.count
        left.rows += right.rows
        left.bytes += right.bytes
        left.slowest = max(left.slowest, right.slowest)
    }
}

extension Measurements.KindTotals {
    fileprivate mutating func add(_ nanoseconds: UInt64, bytes: Int, rows: Int) {
        _ = latencies.record(min(max(1, nanoseconds), latencies.highestTrackableValue))
        count += 1
        self.bytes += bytes
        self.rows += rows
        slowest = max(slowest, nanoseconds)
    }

    fileprivate mutating func add(_ other: Self) {
        latencies.add(other.latencies)
        count += other.count
        bytes += other.bytes
        rows += other.rows
        slowest = max(slowest, other.slowest)
    }
}

/// The kinds of work that are measured separately.
package enum LoadKind: Int, CaseIterable, Sendable {
    /// A page of a drain from 0.
    case page
    case poll
    case upload
    case get
    /// A whole drain from 0, from its first request to its last response. In a storm it counts
    /// from the beginning of the storm.
    case drain

    package var name: String {
        switch self {
        case .page: "page"
        case .poll: "poll"
        case .upload: "upload"
        case .get: "get"
        case .drain: "drain"
        }
    }

    /// Whether this is a single request.
    var isRequest: Bool { self != .drain }
}
