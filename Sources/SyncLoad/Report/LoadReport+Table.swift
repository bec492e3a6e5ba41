import Foundation
import SyncProtocol

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
