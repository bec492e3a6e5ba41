import Foundation

extension LoadReport {
    /// For a terminal.
    package var table: String {
        var lines = [
            "\(plan.profile.name), \(plan.clients) clients\(plan.rate.map { ", \(Self.number($0)) requests/s asked for" } ?? ""), \(Self.number(seconds)) s measured",
            "",
        ]
        lines.append(
            Self.row(["", "count", "/s", "mean ms"] + Self.percentileNames + ["max"]))
        for kind in kinds {
            let figures = [kind.mean] + kind.percentiles + [kind.max]
            lines.append(Self.row([kind.name, "\(kind.count)", Self.number(kind.rate)] + figures.map(Self.number)))
        }
        lines += ["", totals, checked]
        lines += mistakes.entries.map { "WRONG \($0.count) times: \($0.what) \($0.example)" }
        return lines.joined(separator: "\n")
    }

    private var totals: String {
        let (perSecond, megabytes) = (Double(rows) / seconds, Double(bytes) / 1e6)
        return "\(requests) requests, \(rows) rows (\(Self.number(perSecond))/s), \(Self.number(megabytes)) MB "
            + "(\(Self.number(megabytes / seconds)) MB/s)"
    }

    var checked: String {
        guard plan.profile != .get else { return "checked: status 200 and equal bytes" }
        var parts = [
            "\(checks.inspectedDrains) drain(s) row by row (\(checks.inspectedRows) rows, \(checks.digestedDrains) by digest)"
        ]
        if checks.comparedDrains > 0 { parts.append("\(checks.comparedDrains) by the hashes of their pages") }
        if checks.polls > 0 { parts.append("\(checks.polls) polls") }
        if checks.uploads > 0 { parts.append("\(checks.uploads) uploads") }
        return "checked: " + parts.joined(separator: ", ")
    }

    /// Three digits that count.
    static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int(value))" }
        switch abs(value) {
        case 100...: return String(format: "%.0f", value)
        case 10...: return String(format: "%.1f", value)
        case 1...: return String(format: "%.2f", value)
        default: return String(format: "%.3f", value)
        }
    }

    private static func row(_ cells: [String]) -> String {
        let widths = [8, 9, 9] + [Int](repeating: 9, count: cells.count - 3)
        return zip(cells, widths).map { cell, width in
            String(repeating: " ", count: max(1, width - cell.count)) + cell
        }.joined()
    }
}
