import Foundation
import SyncProtocol

extension LoadReport {
    /// The report as one self-contained HTML page, for light and dark mode and for wide and narrow screens.
    package var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>tidemark load \(plan.profile.name)</title>
        <style>\(Self.style)</style></head><body>
        <h1>tidemark load \(plan.profile.name)</h1>
        \(verdict)
        \(list(of: facts))
        <h2>Measurements</h2>
        \(measurementTable)
        \(kinds.enumerated().map { section($0.element, colour: $0.offset) }.joined(separator: "\n"))
        \(whole)
        </body></html>

        """
    }

    private func list(of facts: [(name: String, text: String)]) -> String {
        let rows = facts.map { "<dt>\($0.name)</dt><dd>\(Self.escaped($0.text))</dd>" }
        return "<dl>\(rows.joined())</dl>"
    }

    private var verdict: String {
        guard !mistakes.isEmpty else { return "<p class=good>No mistakes.</p>" }
        let list = mistakes.entries.map {
            "<li>\(counted($0.count, "time")): \(Self.escaped($0.what)) <span>\(Self.escaped($0.example))</span></li>"
        }
        return
            "<p class=bad>The server was wrong \(counted(mistakes.count, "time")).</p>"
            + "<ul class=bad>\(list.joined())</ul>"
    }

    // MARK: Measurements

    /// One column for each kind, so the table fits on a phone.
    private var measurementTable: String {
        let names = kinds.map { "<th scope=col>\($0.name)</th>" }
        let lines = lines.map { line in
            "<tr><th scope=row>\(line.name)</th>\(kinds.map { "<td>\(line.text($0))</td>" }.joined())</tr>"
        }
        return "<div class=wide><table><tr><td></td>\(names.joined())</tr>\(lines.joined())</table></div>"
            + "<p class=note>Latencies in milliseconds. \(kinds.contains { !$0.isRequest } ? Self.drainNote : "")</p>"
    }

    private static let drainNote = "A drain is all pages from 0 to the end."

    private var lines: [(name: String, text: (Kind) -> String)] {
        let percentiles = Self.percentileNames.enumerated().map { index, name in
            (name, { (kind: Kind) in Self.number(kind.percentiles[index]) })
        }
        return [
            ("count", { $0.count.grouped }), ("a second", { Self.number($0.rate) }), ("rows", { $0.rows.grouped }),
            ("MB", { $0.isRequest ? Self.number(Double($0.bytes) / 1e6) : "" }), ("mean", { Self.number($0.mean) }),
        ] + percentiles + [("maximum", { Self.number($0.max) })]
    }

    // MARK: Plots

    private func section(_ kind: Kind, colour: Int) -> String {
        let curve = kind.curve.map { (x: Plot.nines($0.percentile), y: $0.milliseconds) }
        let plots = [
            Plot(title: "Latency by percentile, ms", unit: "ms", x: .nines, points: curve, colour: colour % 5),
            kind.timeline.plot("Slowest of each second, ms", unit: "ms", colour: colour) {
                Double($0.second.slowest) / 1e6
            },
            kind.timeline.plot("Answers a second", unit: "a second", colour: colour) { $0.rate { Double($0.count) } },
        ]
        return "<h2>\(kind.name)</h2><div class=plots>\(plots.map(\.html).joined())</div>"
    }

    private var whole: String {
        guard rows + bytes > 0 else { return "" }
        let plots = [
            timeline.plot("Rows a second", unit: "a second", colour: 3) { $0.rate { Double($0.rows) } },
            timeline.plot("MB a second", unit: "MB", colour: 4) { $0.rate { Double($0.bytes) / 1e6 } },
        ]
        return "<h2>All requests</h2><div class=plots>\(plots.map(\.html).joined())</div>"
    }

    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { out, character in
            switch character {
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "&": out += "&amp;"
            case "\"": out += "&quot;"
            default: out.append(character)
            }
        }
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--faint:#636b76;--paper:#fff;--line:#dfe3e8;--warm:#f1f3f6;
        --c0:#1f6feb;--c1:#c2410c;--c2:#15803d;--c3:#7c3aed;--c4:#b91c1c}
        @media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#9aa3af;--paper:#14171c;--line:#2c323b;
        --warm:#1c2128;--c0:#6cb0ff;--c1:#ff9c66;--c2:#5fd38a;--c3:#b69cff;--c4:#ff8080}}
        body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
        max-width:62rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.6rem;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1rem 0}
        dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
        @media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}body{margin-top:1rem}
        table{font-size:.85rem}}
        table{border-collapse:collapse;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}
        td,th{padding:.2rem 0 .2rem .9rem;text-align:right;border-bottom:1px solid var(--line);font-weight:400}
        th[scope=col]{font-weight:600}th[scope=row]{text-align:left;padding-left:0;color:var(--faint)}
        .plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:1rem 1.5rem}
        figure{margin:0}figcaption{font-size:.9rem;color:var(--faint)}
        svg{display:block;width:100%;height:auto}.note,span{color:var(--faint)}.note{font-size:.9rem}
        .bad{color:var(--c4)}.good{color:var(--c2)}
        text{fill:var(--ink);font:12px system-ui,sans-serif}.axis{fill:var(--faint)}.grid{stroke:var(--line)}
        .max{font-weight:600;paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
        .warm{fill:var(--warm)}.s{fill:none;stroke-width:2;stroke-linejoin:round}.f{opacity:.13}
        .s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}
        .f0,.d0{fill:var(--c0)}.f1,.d1{fill:var(--c1)}.f2,.d2{fill:var(--c2)}
        .f3,.d3{fill:var(--c3)}.f4,.d4{fill:var(--c4)}
        """
}

extension Timeline {
    /// The plot from the beginning of the run to its end. Each second has its real length.
    fileprivate func plot(
        _ title: String, unit: String, colour: Int, value: (Step) -> Double
    ) -> Plot {
        let points = steps.flatMap { step in [(x: step.start, y: value(step)), (x: step.end, y: value(step))] }
        return Plot(title: title, unit: unit, x: .seconds(from: start, to: end), points: points, colour: colour % 5)
    }
}

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
        let x = place(x: top.x)
        let y = place(y: top.y)
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
        let from = Self.text(left)
        let to = Self.text(Self.size.width - Self.margin.right)
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

/// The seconds of one kind as rates over the whole run. The last second has its real length.
struct Timeline: Sendable, Equatable {
    /// A stretch of the run; `start` is below 0 in the warm-up.
    struct Step: Sendable, Equatable {
        let start: Double
        let end: Double
        let second: Measurements.Second

        /// The value of `metric` per second.
        func rate(_ metric: (Measurements.Second) -> Double) -> Double { metric(second) / (end - start) }
    }

    /// A shorter last step has no meaningful rate. It is merged into the second before.
    private static let shortest = 0.2

    let steps: [Step]

    /// Makes a timeline. `seconds` starts `warmUp` seconds before 0. If it ends early,
    /// nothing was answered until `end`.
    init(_ seconds: [Measurements.Second], warmUp: Double, end: Double) {
        let length = max(end + warmUp, 1e-3)
        let whole = max(1, Int((length - Self.shortest).rounded(.up)))
        var buckets = [Measurements.Second](repeating: Measurements.Second(), count: whole)
        for (index, second) in seconds.enumerated() { buckets[min(index, whole - 1)] += second }
        steps = buckets.enumerated().map { index, second in
            let isLast = index == whole - 1
            return Step(start: Double(index) - warmUp, end: isLast ? end : Double(index + 1) - warmUp, second: second)
        }
    }

    var start: Double { steps.first?.start ?? 0 }
    var end: Double { steps.last?.end ?? 1 }
}
