import Histogram
import NIOCore
import SyncProtocol

/// The results of a run.
package struct LoadReport: Sendable {
    /// The results of one kind of work. Latencies are in milliseconds.
    package struct Kind: Sendable {
        package let name: String
        package let count: Int
        /// Count per second.
        package let rate: Double
        package let rows: Int
        /// The bytes of response bodies as received, before inflating.
        package let bytes: Int
        package let mean: Double
        package let max: Double
        /// The latencies at `LoadReport.percentiles`, in the same order.
        package let percentiles: [Double]
        /// The latency by percentile, for plots.
        let curve: [(percentile: Double, milliseconds: Double)]
        let isRequest: Bool
        let timeline: Timeline
    }

    /// The percentiles that the report shows.
    package static let percentiles: [Double] = [50, 75, 90, 95, 99, 99.9, 99.99]

    /// The names of the percentiles, such as `p99.9`.
    static let percentileNames = percentiles.map { "p\($0 == $0.rounded() ? "\(Int($0))" : "\($0)")" }

    package let plan: LoadPlan
    let circumstances: LoadCircumstances
    /// The rows that one user sees of the project at the end of the run; 0 when no drain was inspected.
    package let projectRows: Int
    /// The measured time in seconds, without the warm-up.
    package let seconds: Double
    /// One for each kind of work that was measured.
    package let kinds: [Kind]
    /// The timeline of all requests together.
    let timeline: Timeline
    package let checks: Checks
    package let mistakes: Mistakes

    /// How much was checked.
    package struct Checks: Sendable, Equatable {
        /// Drains that were inspected row by row, and their rows.
        package let inspectedDrains: Int
        package let inspectedRows: Int
        /// How many of these were compared with a digest.
        package let digestedDrains: Int
        /// Drains compared by the hashes of their pages.
        package let comparedDrains: Int
        package let polls: Int
        package let uploads: Int
    }

    init(_ plan: LoadPlan, _ result: GroupResult, _ circumstances: LoadCircumstances) {
        self.plan = plan
        self.circumstances = circumstances
        projectRows = result.prints.projectRows
        let measured = result.measurements
        let seconds = plan.measuredSeconds(until: Double((measured.end - measured.start).nanoseconds) / 1e9)
        self.seconds = seconds
        let timeline = { Timeline($0, warmUp: plan.warmUp, end: seconds) }
        kinds = LoadKind.allCases.compactMap { kind in
            measured.totals[kind].map { Kind(kind, $0, seconds, timeline(measured.seconds[kind] ?? [])) }
        }
        self.timeline = timeline(measured.ofRequests)
        checks = Checks(
            inspectedDrains: result.prints.inspectedDrains, inspectedRows: result.prints.inspectedRows,
            digestedDrains: result.prints.digestedDrains, comparedDrains: result.prints.otherDrains,
            polls: result.polls, uploads: result.uploads)
        var mistakes = result.mistakes
        mistakes += result.prints.mistakes
        if plan.profile != .get, result.prints.inspectedDrains == 0 {
            mistakes.note("No drain was finished, so none was checked. Give the run more time.")
        }
        if kinds.isEmpty { mistakes.note("Nothing was measured.") }
        self.mistakes = mistakes
    }

    var requests: Int { kinds.filter(\.isRequest).reduce(0) { $0 + $1.count } }
    var bytes: Int { kinds.filter(\.isRequest).reduce(0) { $0 + $1.bytes } }
    var rows: Int { kinds.filter(\.isRequest).reduce(0) { $0 + $1.rows } }
}

extension LoadPlan {
    /// The measured time. A server that stops answering is still measured to the end of the run.
    fileprivate func measuredSeconds(until last: Double) -> Double {
        guard case .seconds(let duration) = extent, profile != .storm else { return max(1e-9, last) }
        return max(1e-9, duration - warmUp)
    }
}

extension Measurements {
    /// All kinds of requests together. The slowest is the slowest of any kind.
    fileprivate var ofRequests: [Second] {
        let kinds = seconds.filter(\.key.isRequest).values
        return (0..<(kinds.map(\.count).max() ?? 0)).map { index in
            kinds.reduce(into: Second()) { sum, seconds in
                if index < seconds.count { sum += seconds[index] }
            }
        }
    }
}

extension LoadReport.Kind {
    init(_ kind: LoadKind, _ totals: Measurements.KindTotals, _ seconds: Double, _ timeline: Timeline) {
        let milliseconds = { (nanoseconds: UInt64) in Double(nanoseconds) / 1e6 }
        name = kind.name
        self.timeline = timeline
        isRequest = kind.isRequest
        count = totals.count
        rate = Double(totals.count) / seconds
        rows = totals.rows
        bytes = totals.bytes
        mean = totals.latencies.mean / 1e6
        max = milliseconds(totals.slowest)
        percentiles = LoadReport.percentiles.map { milliseconds(totals.latencies.valueAtPercentile($0)) }
        // The maximum is one in `count`. Percentiles beyond that say nothing more.
        let last = 100 * (1 - 1 / Double(count))
        curve =
            totals.latencies.percentiles(ticksPerHalfDistance: 5)
            .map { ($0.percentileLevelIteratedTo, milliseconds($0.value)) }
            .filter { $0.0 < last } + [(last, max)]
    }
}
