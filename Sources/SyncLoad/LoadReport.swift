import Foundation
import Histogram
import NIOCore
package import SyncProtocol

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
        /// Drains during which somebody wrote, so that they did not count and another one followed at once.
        package let uncounted: Int
        package let uploads: Int
    }

    init(_ plan: LoadPlan, result: GroupResult, circumstances: LoadCircumstances) {
        self.plan = plan
        self.circumstances = circumstances
        projectRows = result.prints.projectRows
        let measured = result.measurements
        let seconds = plan.measuredSeconds(until: Double((measured.end - measured.start).nanoseconds) / 1e9)
        self.seconds = seconds
        let timeline = { Timeline($0, warmUp: plan.warmUp, end: seconds) }
        kinds = LoadKind.allCases.compactMap { kind in
            measured.totals[kind].map {
                Kind(kind, totals: $0, seconds: seconds, timeline: timeline(measured.seconds[kind] ?? []))
            }
        }
        self.timeline = timeline(measured.ofRequests)
        checks = Checks(
            inspectedDrains: result.prints.inspectedDrains, inspectedRows: result.prints.inspectedRows,
            digestedDrains: result.prints.digestedDrains, comparedDrains: result.prints.otherDrains,
            polls: result.polls, uncounted: result.uncounted, uploads: result.uploads)
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
    init(_ kind: LoadKind, totals: Measurements.KindTotals, seconds: Double, timeline: Timeline) {
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

extension LoadReport {
    /// What a reader must know to interpret the measurements.
    var facts: [(name: String, text: String)] {
        [
            ("Date", circumstances.date), ("Server", server), ("Machine", machine), ("Project", project),
            ("Load", load), ("Measured", measured), ("Moved", totals), ("Checked", checked),
        ].filter { !$0.1.isEmpty }
    }

    private var server: String {
        let version =
            plan.profile == .get ? "" : ", Tidemark \(circumstances.version ?? "of unknown version")"
        return plan.target.authority + version
    }

    private var machine: String {
        circumstances.machine.text + (plan.target.isLocal ? "; server and load tester on it" : " (of the load tester)")
    }

    private var project: String {
        projectRows > 0
            ? "\(counted(projectRows, "row")) for each user\(plan.profile.writes ? ", at the end" : "")" : ""
    }

    private var load: String {
        let loop = plan.rate.map { "open loop at \(Self.number($0)) requests/s" } ?? "closed loop"
        var parts = ["\(counted(plan.clients, "client")) on \(counted(plan.threads, "thread"))", loop]
        if let size = plan.pageSize { parts.append("pages of \(counted(size, "row"))") }
        if plan.profile.writes { parts.append("batches of \(counted(plan.rowsPerBatch, "row"))") }
        parts.append("gzip \(plan.acceptsGzip ? "accepted" : "not accepted")")
        return parts.joined(separator: ", ")
    }

    private var measured: String {
        Self.number(seconds) + " s" + (plan.warmUp > 0 ? " after \(Self.number(plan.warmUp)) s of warm-up" : "")
    }

    var totals: String {
        let perSecond = Double(rows) / seconds
        let megabytes = Double(bytes) / 1e6
        return "\(counted(requests, "request")) (\(Self.number(Double(requests) / seconds))/s), "
            + "\(counted(rows, "row")) (\(Self.number(perSecond))/s), \(Self.number(megabytes)) MB "
            + "(\(Self.number(megabytes / seconds)) MB/s)"
    }

    var checked: String {
        guard plan.profile != .get else { return "status 200 and equal bytes" }
        let inRows = "\(counted(checks.inspectedRows, "row")), \(checks.digestedDrains.grouped) by digest"
        var parts = ["\(counted(checks.inspectedDrains, "drain")) row by row (\(inRows))"]
        if checks.comparedDrains > 0 { parts.append("\(checks.comparedDrains.grouped) by the hashes of their pages") }
        if checks.polls > 0 { parts.append(counted(checks.polls, "poll")) }
        if checks.uncounted > 0 { parts.append("\(counted(checks.uncounted, "drain")) that did not count") }
        if checks.uploads > 0 { parts.append(counted(checks.uploads, "upload")) }
        return parts.joined(separator: ", ")
    }
}

extension LoadReport {
    /// The report for a terminal.
    package var table: String {
        let width = facts.map(\.name.count).max() ?? 0
        var lines = [plan.profile.name]
        lines += facts.map { "  " + $0.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.text }
        lines += ["", Self.row(["", "count", "/s", "mean ms"] + Self.percentileNames + ["max"])]
        for kind in kinds {
            let latencies = [kind.mean] + kind.percentiles + [kind.max]
            lines.append(
                Self.row([kind.name, kind.count.grouped, Self.number(kind.rate)] + latencies.map(Self.number)))
        }
        lines += mistakes.entries.map { "WRONG \(counted($0.count, "time")): \($0.what) \($0.example)" }
        return lines.joined(separator: "\n")
    }

    /// The number with three significant digits, or with all digits before the decimal point.
    static func number(_ value: Double) -> String {
        if abs(value) >= 1e15 { return String(format: "%.0f", value) }
        if value == value.rounded() { return Int(value).grouped }
        switch abs(value) {
        case 100...: return Int(value.rounded()).grouped
        case 10...: return String(format: "%.1f", value)
        case 1...: return String(format: "%.2f", value)
        default: return String(format: "%.3f", value)
        }
    }

    private static func row(_ cells: [String]) -> String {
        let widths = [8, 11, 9] + [Int](repeating: 9, count: cells.count - 3)
        return zip(cells, widths).map { cell, width in
            String(repeating: " ", count: max(1, width - cell.count)) + cell
        }.joined()
    }
}

extension LoadReport {
    /// The report for programs. Latencies are in milliseconds; percentiles have names such as `p99`.
    package var json: JSON {
        [
            "date": .string(circumstances.time.text),
            "server": [
                "address": .string(plan.target.authority),
                "version": circumstances.version.map(JSON.string) ?? .null,
            ],
            "machine": circumstances.machine.json, "project_rows": .int(Int64(projectRows)),
            "profile": .string(plan.profile.name), "clients": .int(Int64(plan.clients)),
            "threads": .int(Int64(plan.threads)), "seconds": JSON(seconds),
            "warm_up": JSON(plan.warmUp),
            "rate_asked": plan.rate.map { JSON($0) } ?? .null,
            "gzip": .bool(plan.acceptsGzip), "page_size": plan.pageSize.map { .int(Int64($0)) } ?? .null,
            "rows_per_batch": .int(Int64(plan.rowsPerBatch)), "requests": .int(Int64(requests)),
            "requests_per_second": JSON(Double(requests) / seconds), "rows": .int(Int64(rows)),
            "rows_per_second": JSON(Double(rows) / seconds), "bytes": .int(Int64(bytes)),
            "bytes_per_second": JSON(Double(bytes) / seconds),
            "kinds": .object(Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.json) })),
            "timeline": .array(timeline.steps.map(\.json)), "checks": checks.json,
            "mistakes": .array(mistakes.entries.map(\.json)),
        ]
    }
}

extension LoadReport.Kind {
    fileprivate var json: JSON {
        var latency: [String: JSON] = ["mean": JSON(mean), "max": JSON(max)]
        for (name, value) in zip(LoadReport.percentileNames, percentiles) {
            latency[name] = JSON(value)
        }
        return [
            "count": .int(Int64(count)), "per_second": JSON(rate), "rows": .int(Int64(rows)),
            "bytes": .int(Int64(bytes)),
            "latency_ms": .object(latency),
        ]
    }
}

extension Timeline.Step {
    /// `from` and `to` are in seconds, and below 0 during the warm-up.
    fileprivate var json: JSON {
        [
            "from": JSON(start), "to": JSON(end), "requests": .int(Int64(second.count)),
            "rows": .int(Int64(second.rows)), "bytes": .int(Int64(second.bytes)),
            "slowest_ms": JSON(Double(second.slowest) / 1e6),
        ]
    }
}

extension LoadMachine {
    fileprivate var json: JSON {
        [
            "cores": .int(Int64(cores)), "memory_bytes": .int(Int64(memory)), "system": .string(system),
            "processor": processor.map(JSON.string) ?? .null,
        ]
    }
}

extension LoadReport.Checks {
    fileprivate var json: JSON {
        [
            "inspected_drains": .int(Int64(inspectedDrains)), "inspected_rows": .int(Int64(inspectedRows)),
            "digested_drains": .int(Int64(digestedDrains)), "compared_drains": .int(Int64(comparedDrains)),
            "polls": .int(Int64(polls)), "uncounted": .int(Int64(uncounted)), "uploads": .int(Int64(uploads)),
        ]
    }
}

extension Mistakes.Entry {
    fileprivate var json: JSON {
        ["what": .string(what), "count": .int(Int64(count)), "example": .string(example)]
    }
}

/// The circumstances of a run. Measurements of two runs can only be compared if these are known.
struct LoadCircumstances: Sendable, Equatable {
    /// When the run began.
    let time: Instant
    /// The server's version; nil if it could not be read.
    let version: String?
    /// The load tester's machine.
    let machine: LoadMachine

    init(version: String?, time: Instant, machine: LoadMachine = .current) {
        self.version = version
        self.time = time
        self.machine = machine
    }

    /// `2026-11-23 07:12 UTC`.
    var date: String { time.text.prefix(16).replacing("T", with: " ") + " UTC" }
}

extension LoadTarget {
    /// Whether the server is on the same machine as the load tester.
    var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}

/// The machine on which the load tester ran, as far as the system describes it.
struct LoadMachine: Sendable, Equatable {
    let cores: Int
    /// In bytes.
    let memory: UInt64
    /// For example "Debian GNU/Linux 12 (bookworm), x86_64".
    let system: String
    /// The processor's name; nil if it is unknown.
    let processor: String?

    static var current: LoadMachine {
        LoadMachine(
            cores: ProcessInfo.processInfo.activeProcessorCount, memory: ProcessInfo.processInfo.physicalMemory,
            system: [name, architecture].compactMap { $0 }.joined(separator: ", "), processor: processorName)
    }

    var text: String {
        let gigabytes = String(format: "%.0f", Double(memory) / Double(1 << 30))
        let cores = "\(cores) \(cores == 1 ? "core" : "cores")" + (processor.map { " (\($0))" } ?? "")
        return "\(cores), \(gigabytes) GB of memory, \(system)"
    }

    private static var name: String {
        value(of: "PRETTY_NAME", in: "/etc/os-release", "=").map { $0.trimmingCharacters(in: ["\""]) }
            ?? ProcessInfo.processInfo.operatingSystemVersionString
    }

    private static var processorName: String? { value(of: "model name", in: "/proc/cpuinfo", ":") }

    private static var architecture: String? {
        var about = utsname()
        guard uname(&about) == 0 else { return nil }
        return withUnsafeBytes(of: about.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The text after the sign in the first line that starts with the name.
    private static func value(of name: String, in file: String, _ sign: Character) -> String? {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: sign, maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
    }
}
