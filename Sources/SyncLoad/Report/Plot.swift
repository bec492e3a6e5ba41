import Foundation
import SyncProtocol

/// One quantity of one kind of work as SVG, with its own axes.
struct Plot {
    enum Axis {
        /// Percentiles on a scale where each further nine takes the same width.
        case nines
        /// Seconds of the run. Seconds below 0 are the warm-up.
        case seconds(from: Double, to: Double)
    }

    private static let size = (width: 340.0, height: 200.0)
    private static let margin = (right: 12.0, top: 20.0, bottom: 24.0)

    let title: String
    /// The unit written after the greatest value.
    let unit: String
    let x: Axis
    /// From left to right.
    let points: [(x: Double, y: Double)]
    /// The number of the colour, from 0 to 4.
    let colour: Int

    /// The number of nines: 90 % is 1, 99 % is 2 …; at most 6.
    static func nines(_ percentile: Double) -> Double { min(6, -log10(max(1e-6, 1 - percentile / 100))) }

    var html: String {
        let label = LoadReport.escaped("\(title), at most \(LoadReport.number(maximum)) \(unit)")
        return """
            <figure><figcaption>\(LoadReport.escaped(title))</figcaption>\
            <svg viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" role="img" aria-label="\(label)">\
            \(warmUp)\(grid)\(line)\(mark)</svg></figure>
            """
    }

    // MARK: The line

    private var line: String {
        guard !points.isEmpty else { return "" }
        let places = points.map { "\(Self.text(place(x: $0.x))),\(Self.text(place(y: $0.y)))" }
        let ends = [place(x: points.last?.x ?? 0), place(x: points.first?.x ?? 0)]
        let area = places + ends.map { "\(Self.text($0)),\(Self.text(bottom))" }
        return "<polygon class=\"f f\(colour)\" points=\"\(area.joined(separator: " "))\"/>"
            + "<polyline class=\"s s\(colour)\" points=\"\(places.joined(separator: " "))\"/>"
    }

    /// The mark at the greatest value, which no average can hide. The warm-up does not count.
    private var mark: String {
        guard let top = points.filter({ $0.x >= 0 }).max(by: { $0.y < $1.y }), top.y > 0 else { return "" }
        let (x, y) = (place(x: top.x), place(y: top.y))
        let isRight = x > Self.size.width / 2
        return "<circle class=\"d d\(colour)\" cx=\"\(Self.text(x))\" cy=\"\(Self.text(y))\" r=\"3.5\"/>"
            + "<text class=max text-anchor=\"\(isRight ? "end" : "start")\" x=\"\(Self.text(x + (isRight ? -7 : 7)))\" "
            + "y=\"\(Self.text(y - 6))\">max \(LoadReport.number(top.y)) \(unit)</text>"
    }

    private var warmUp: String {
        guard case .seconds(let start, _) = x, start < 0 else { return "" }
        let width = place(x: 0) - left
        return "<rect class=warm x=\"\(Self.text(left))\" y=\"\(Self.text(Self.margin.top))\" "
            + "width=\"\(Self.text(width))\" height=\"\(Self.text(bottom - Self.margin.top))\"/>"
            + "<text class=axis x=\"\(Self.text(left + 4))\" y=\"\(Self.text(bottom - 5))\">warm-up</text>"
    }

    // MARK: Axes

    private var grid: String {
        let (from, to) = (Self.text(left), Self.text(Self.size.width - Self.margin.right))
        let across = yTicks.map { tick in
            let y = Self.text(place(y: tick))
            return "<line class=grid x1=\"\(from)\" x2=\"\(to)\" y1=\"\(y)\" y2=\"\(y)\"/>"
                + "<text class=axis text-anchor=\"end\" x=\"\(Self.text(left - 6))\" y=\"\(y)\" dy=\"4\">"
                + "\(LoadReport.number(tick))</text>"
        }
        let below = xTicks.map { tick in
            let isLast = place(x: tick.at) > Self.size.width - 40
            return "<text class=axis text-anchor=\"\(isLast ? "end" : "middle")\" "
                + "x=\"\(Self.text(isLast ? Self.size.width - 2 : place(x: tick.at)))\" "
                + "y=\"\(Int(Self.size.height) - 8)\">\(tick.label)</text>"
        }
        return (across + below).joined()
    }

    private var maximum: Double { points.map(\.y).max() ?? 0 }

    private var span: (from: Double, to: Double) {
        switch x {
        case .nines: (0, max(points.map(\.x).max() ?? 1, 0.1))
        case .seconds(let from, let to): (from, max(to, from + 1e-3))
        }
    }

    /// Three to six round numbers starting at 0. The last is at least the maximum.
    private var yTicks: [Double] {
        let step = Self.round(max(maximum, 1e-3) / 4)
        return (0...Int(ceil(max(maximum, 1e-3) / step - 1e-9))).map { Double($0) * step }
    }

    /// The next number of 1, 2, 5, 10, 20 … that is not smaller.
    private static func round(_ rough: Double) -> Double {
        let power = pow(10, floor(log10(rough)))
        return power * ([1, 2, 5, 10].first { $0 * power >= rough * (1 - 1e-9) } ?? 10)
    }

    private var xTicks: [(at: Double, label: String)] {
        switch x {
        case .nines:
            let labels = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %"]
            let ticks = labels.enumerated().map { (at: Double($0.offset), label: $0.element) }.filter {
                $0.at <= span.to
            }
            return ticks.count > 5 ? ticks.filter { Int($0.at) % 2 == 0 } : ticks
        case .seconds(let from, let to): return secondTicks(from, to)
        }
    }

    /// Round numbers and the end of the run.
    private func secondTicks(_ from: Double, _ to: Double) -> [(at: Double, label: String)] {
        let step = Self.round((to - from) / 4)
        let inner = stride(from: ceil(from / step) * step, through: to - step * 0.6, by: step)
        return (Array(inner) + [to]).map { ($0, LoadReport.number($0) + " s") }
    }

    // MARK: Places

    /// The left edge of the plot: there is room beside it for the longest label.
    private var left: Double { 10 + 7 * Double(yTicks.map { LoadReport.number($0).count }.max() ?? 1) }

    private var bottom: Double { Self.size.height - Self.margin.bottom }

    private func place(x: Double) -> Double {
        let width = Self.size.width - left - Self.margin.right
        return left + (x - span.from) / (span.to - span.from) * width
    }

    private func place(y: Double) -> Double { bottom - y / (yTicks.last ?? 1) * (bottom - Self.margin.top) }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
