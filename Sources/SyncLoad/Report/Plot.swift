import Foundation

/// A line plot as SVG.
struct Plot {
    struct Series {
        let name: String
        let points: [(x: Double, y: Double)]
    }

    enum Axis {
        /// Percentiles, each nine as wide as the one before.
        case nines
        case seconds
    }

    private static let size = (width: 900.0, height: 300.0)
    private static let margin = (left: 60.0, right: 20.0, top: 36.0, bottom: 30.0)

    let title: String
    let x: Axis
    let series: [Series]

    /// 90 % is 1, 99 % is 2 …; six at the most.
    static func nines(_ percentile: Double) -> Double { min(6, -log10(max(1e-6, 1 - percentile / 100))) }

    var svg: String {
        let shown = series.filter { !$0.points.isEmpty }
        let lines = shown.enumerated().map { index, series in
            let points = series.points.map { "\(Self.text(place(x: $0.x))),\(Self.text(place(y: $0.y)))" }
            return "<polyline class=\"s s\(index % 5)\" points=\"\(points.joined(separator: " "))\"/>"
        }
        return
            "<svg viewBox=\"0 0 \(Int(Self.size.width)) \(Int(Self.size.height))\" role=\"img\"><text x=\"4\" y=\"16\">"
            + LoadReport.escaped(title) + "</text>" + legend(shown) + grid + lines.joined() + "</svg>"
    }

    private func legend(_ series: [Series]) -> String {
        guard series.count > 1 else { return "" }
        return series.enumerated().map { index, series in
            let left = 300 + index * 110
            return "<rect class=f\(index % 5) x=\"\(left)\" y=\"7\" width=\"10\" height=\"10\"/>"
                + "<text x=\"\(left + 15)\" y=\"16\">\(series.name)</text>"
        }.joined()
    }

    // MARK: Axes

    private var grid: String {
        let (left, right) = (Self.text(Self.margin.left), Self.text(Self.size.width - Self.margin.right))
        let across = yTicks.map { tick in
            let y = Self.text(place(y: tick))
            return "<line class=grid x1=\"\(left)\" x2=\"\(right)\" y1=\"\(y)\" y2=\"\(y)\"/>"
                + "<text class=axis text-anchor=\"end\" x=\"\(Self.text(Self.margin.left - 6))\" y=\"\(y)\" dy=\"4\">\(LoadReport.number(tick))</text>"
        }
        let below = xTicks.map { tick in
            "<text class=axis text-anchor=\"middle\" x=\"\(Self.text(place(x: tick.at)))\" y=\"\(Int(Self.size.height) - 8)\">\(tick.label)</text>"
        }
        return (across + below).joined()
    }

    private var maximum: (x: Double, y: Double) {
        let points = series.flatMap(\.points)
        let x = points.map(\.x).max() ?? 1
        return (x == 0 ? 1 : x, max(points.map(\.y).max() ?? 1, 1e-3))
    }

    /// Four to eight round numbers from 0 on.
    private var yTicks: [Double] {
        let rough = maximum.y / 5
        let power = pow(10, floor(log10(rough)))
        let step = power * ([1, 2, 5, 10].first { $0 * power >= rough } ?? 10)
        return (0...Int(ceil(maximum.y / step))).map { Double($0) * step }
    }

    private var xTicks: [(at: Double, label: String)] {
        switch x {
        case .nines:
            let labels = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %"]
            return labels.enumerated().map { (Double($0.offset), $0.element) }.filter { $0.at <= maximum.x + 0.5 }
        case .seconds:
            let step = max(1, Int(maximum.x / 10))
            return stride(from: 0, through: Int(maximum.x), by: step).map { (Double($0), "\($0) s") }
        }
    }

    private func place(x: Double) -> Double {
        Self.margin.left + x / maximum.x * (Self.size.width - Self.margin.left - Self.margin.right)
    }

    private func place(y: Double) -> Double {
        let top = yTicks.last ?? 1
        return Self.size.height - Self.margin.bottom
            - y / top * (Self.size.height - Self.margin.top - Self.margin.bottom)
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
