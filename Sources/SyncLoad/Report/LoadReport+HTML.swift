extension LoadReport {
    /// One page without anything from elsewhere, for light and dark.
    package var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>tidemark load \(plan.profile.name)</title>
        <style>\(Self.style)</style></head><body>
        <h1>tidemark load \(plan.profile.name)</h1>
        <p>\(Self.escaped(summary))</p>
        \(verdict)
        \(table(of: kinds))
        \(plots.joined(separator: "\n"))
        </body></html>

        """
    }

    private var summary: String {
        let loop = plan.rate.map { "open loop, \(Self.number($0)) requests/s asked for" } ?? "closed loop"
        return
            "\(plan.clients) clients on \(plan.threads) thread(s), \(loop), \(Self.number(seconds)) s measured after "
            + "\(Self.number(plan.warmUp)) s of warm-up, gzip \(plan.acceptsGzip ? "accepted" : "not accepted"). "
            + "\(requests) requests, \(rows) rows, \(Self.number(Double(bytes) / 1e6)) MB."
    }

    private var verdict: String {
        let list = mistakes.entries.map {
            "<li>\($0.count)×: \(Self.escaped($0.what)) <span>\(Self.escaped($0.example))</span></li>"
        }
        let wrong = list.isEmpty ? "<p class=good>No mistakes.</p>" : "<ul class=bad>\(list.joined())</ul>"
        return "<p>\(Self.escaped(checked))</p>\(wrong)"
    }

    private func table(of kinds: [Kind]) -> String {
        let head = ["", "count", "per second", "mean"] + Self.percentileNames + ["max"]
        let rows = kinds.map { kind in
            let figures = [kind.rate, kind.mean] + kind.percentiles + [kind.max]
            return "<tr><th>\(kind.name)</th><td>\(kind.count)</td>"
                + figures.map { "<td>\(Self.number($0))</td>" }.joined() + "</tr>"
        }
        return "<div class=wide><table><tr>\(head.map { "<th>\($0)</th>" }.joined())</tr>\(rows.joined())</table></div>"
            + "<p class=note>Latencies in milliseconds. A drain is all pages from 0 to the end.</p>"
    }

    private var plots: [String] {
        let curves = kinds.map { kind in
            Plot.Series(name: kind.name, points: kind.curve.map { (Plot.nines($0.percentile), $0.milliseconds) })
        }
        let time = { (name: String, value: (Measurements.Second) -> Double) in
            [
                Plot.Series(
                    name: name,
                    points: timeline.dropLast(timeline.count > 2 ? 1 : 0).enumerated().map {
                        (Double($0.offset), value($0.element))
                    })
            ]
        }
        return [
            Plot(title: "Latency by percentile, ms", x: .nines, series: curves),
            Plot(title: "Requests a second", x: .seconds, series: time("requests") { Double($0.requests) }),
            Plot(title: "Rows a second", x: .seconds, series: time("rows") { Double($0.rows) }),
            Plot(title: "MB a second", x: .seconds, series: time("MB") { Double($0.bytes) / 1e6 }),
        ].map(\.svg)
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
        :root{color-scheme:light dark;--ink:#1b1f24;--faint:#8a9099;--paper:#fff;--line:#d9dde3;
        --c0:#1f6feb;--c1:#c2410c;--c2:#15803d;--c3:#7c3aed;--c4:#b91c1c}
        @media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#8a9099;--paper:#14171c;--line:#333a44;
        --c0:#6cb0ff;--c1:#ff9c66;--c2:#5fd38a;--c3:#b69cff;--c4:#ff8080}}
        body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1rem}
        table{border-collapse:collapse;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}
        td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid var(--line)}
        svg{width:100%;height:auto;margin:1rem 0}.note,span{color:var(--faint)}.bad{color:var(--c4)}.good{color:var(--c2)}
        text{fill:var(--ink);font:12px system-ui,sans-serif}.axis{fill:var(--faint)}.grid{stroke:var(--line)}
        .s{fill:none;stroke-width:2}.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}
        .f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}
        """
}
