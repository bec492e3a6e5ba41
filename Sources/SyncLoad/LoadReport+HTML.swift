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
            kind.timeline.plot("Slowest of each second, ms", "ms", colour) { Double($0.second.slowest) / 1e6 },
            kind.timeline.plot("Answers a second", "a second", colour) { $0.rate { Double($0.count) } },
        ]
        return "<h2>\(kind.name)</h2><div class=plots>\(plots.map(\.html).joined())</div>"
    }

    private var whole: String {
        guard rows + bytes > 0 else { return "" }
        let plots = [
            timeline.plot("Rows a second", "a second", 3) { $0.rate { Double($0.rows) } },
            timeline.plot("MB a second", "MB", 4) { $0.rate { Double($0.bytes) / 1e6 } },
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
        _ title: String, _ unit: String, _ colour: Int, _ value: (Step) -> Double
    ) -> Plot {
        let points = steps.flatMap { step in [(x: step.start, y: value(step)), (x: step.end, y: value(step))] }
        return Plot(title: title, unit: unit, x: .seconds(from: start, to: end), points: points, colour: colour % 5)
    }
}
