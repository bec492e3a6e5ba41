import Histogram
import NIOCore

/// What a run measured. Latencies in nanoseconds, by HDR histograms with three significant digits.
struct Measurements: Sendable {
    /// Of one kind.
    struct Tally: Sendable {
        var latencies = Histogram<UInt64>(
            highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
        var count = 0
        var rows = 0
        /// Of bodies, as they came over the wire.
        var bytes = 0
    }

    /// One second of the run.
    struct Second: Sendable, Equatable {
        var requests = 0
        var rows = 0
        var bytes = 0
    }

    private(set) var tallies: [LoadKind: Tally] = [:]
    private(set) var seconds: [Second] = []
    /// When counting began and when the last answer that counts came.
    private(set) var start: NIODeadline
    private(set) var end: NIODeadline

    init(start: NIODeadline) { (self.start, end) = (start, start) }

    mutating func record(
        _ kind: LoadKind, from begun: NIODeadline, to done: NIODeadline, bytes: Int = 0, rows: Int = 0
    ) {
        guard done >= start else { return }
        let nanoseconds = UInt64(max(0, (done - begun).nanoseconds))
        tallies[kind, default: Tally()].add(nanoseconds, bytes: bytes, rows: rows)
        end = max(end, done)
        guard kind.isRequest else { return }
        let second = Int((done - start).nanoseconds / 1_000_000_000)
        while seconds.count <= second { seconds.append(Second()) }
        seconds[second].requests += 1
        seconds[second].bytes += bytes
        seconds[second].rows += rows
    }

    /// Adds what another event loop measured at the same time.
    static func += (left: inout Self, right: Self) {
        for (kind, tally) in right.tallies {
            left.tallies[kind, default: Tally()].add(tally)
        }
        while left.seconds.count < right.seconds.count { left.seconds.append(Second()) }
        for (index, second) in right.seconds.enumerated() {
            left.seconds[index].requests += second.requests
            left.seconds[index].bytes += second.bytes
            left.seconds[index].rows += second.rows
        }
        left.start = min(left.start, right.start)
        left.end = max(left.end, right.end)
    }
}

extension Measurements.Tally {
    fileprivate mutating func add(_ nanoseconds: UInt64, bytes: Int, rows: Int) {
        _ = latencies.record(min(max(1, nanoseconds), latencies.highestTrackableValue))
        count += 1
        self.bytes += bytes
        self.rows += rows
    }

    fileprivate mutating func add(_ other: Self) {
        latencies.add(other.latencies)
        count += other.count
        bytes += other.bytes
        rows += other.rows
    }
}
