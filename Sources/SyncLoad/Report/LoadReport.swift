import Histogram
import NIOCore
import SyncProtocol

/// What came of a run.
package struct LoadReport: Sendable {
    /// Latencies in milliseconds, and what was moved.
    package struct Kind: Sendable {
        package let name: String
        package let count: Int
        /// A second.
        package let rate: Double
        package let rows: Int
        package let bytes: Int
        package let mean: Double
        package let max: Double
        /// By the percentiles of `LoadReport.percentiles`.
        package let percentiles: [Double]
        /// (percentile, milliseconds), for plots.
        let curve: [(percentile: Double, milliseconds: Double)]
        let isRequest: Bool
    }

    package static let percentiles: [Double] = [50, 75, 90, 95, 99, 99.9, 99.99]

    /// `p99.9`.
    static let percentileNames = percentiles.map { "p\($0 == $0.rounded() ? "\(Int($0))" : "\($0)")" }

    package let plan: LoadPlan
    /// How long it was measured.
    package let seconds: Double
    package let kinds: [Kind]
    let timeline: [Measurements.Second]
    package let checks: Checks
    package let mistakes: Mistakes

    /// How much was looked at.
    package struct Checks: Sendable, Equatable {
        /// Drains of which every row was looked at, and their rows.
        package let inspectedDrains: Int
        package let inspectedRows: Int
        /// Of these, how many could be held against a digest.
        package let digestedDrains: Int
        /// Drains compared by the hashes of their pages.
        package let comparedDrains: Int
        package let polls: Int
        package let uploads: Int
    }

    init(_ plan: LoadPlan, _ result: CrewResult) {
        self.plan = plan
        let measured = result.measurements
        let seconds = max(1e-9, Double((measured.end - measured.start).nanoseconds) / 1e9)
        self.seconds = seconds
        kinds = LoadKind.allCases.compactMap { kind in measured.tallies[kind].map { Kind(kind, $0, seconds) } }
        timeline = measured.seconds
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

extension LoadReport.Kind {
    init(_ kind: LoadKind, _ tally: Measurements.Tally, _ seconds: Double) {
        let milliseconds = { (nanoseconds: UInt64) in Double(nanoseconds) / 1e6 }
        name = kind.name
        isRequest = kind.isRequest
        count = tally.count
        rate = Double(tally.count) / seconds
        rows = tally.rows
        bytes = tally.bytes
        mean = tally.latencies.mean / 1e6
        max = milliseconds(tally.latencies.max)
        percentiles = LoadReport.percentiles.map { milliseconds(tally.latencies.valueAtPercentile($0)) }
        curve = tally.latencies.percentiles(ticksPerHalfDistance: 5).map {
            ($0.percentileLevelIteratedTo, milliseconds($0.value))
        }
    }
}
