import SyncStore

/// Prometheus' text format 0.0.4:
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Writes the samples of the families in `Metric.all`, family by family
    /// in that order, each sorted by its labels. Other samples are left out.
    init(_ samples: [Sample]) {
        let families = Dictionary(grouping: samples, by: \.series.name)
        for metric in Metric.all {
            guard let samples = families[metric.name] else { continue }
            text += "# HELP \(metric.name) \(PrometheusText.escaped(metric.help))\n"
            text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            let lines = samples.map { (labels: PrometheusText.text($0.series.labels), reading: $0.reading) }
            for line in lines.sorted(by: { $0.labels < $1.labels }) {
                write(metric.name, labels: line.labels, reading: line.reading)
            }
        }
    }

    private mutating func write(_ name: String, labels: String, reading: Sample.Reading) {
        switch reading {
        case .number(let value): write(name, labels: labels, value: value)
        case .histogram(let histogram): write(name, labels: labels, histogram: histogram)
        }
    }

    private mutating func write(_ name: String, labels: String, value: Double) {
        text += labels.isEmpty ? name : "\(name){\(labels)}"
        text += " \(PrometheusText.text(value))\n"
    }

    /// Each bucket also counts the values in the buckets below it.
    private mutating func write(_ name: String, labels: String, histogram: Histogram) {
        let prefix = labels.isEmpty ? "" : labels + ","
        var count = 0
        for (bucket, bound) in zip(histogram.counts, histogram.bounds.map(PrometheusText.text) + ["+Inf"]) {
            count += bucket
            write("\(name)_bucket", labels: "\(prefix)le=\"\(bound)\"", value: Double(count))
        }
        write("\(name)_sum", labels: labels, value: histogram.sum)
        write("\(name)_count", labels: labels, value: Double(count))
    }

    private static func text(_ labels: [Sample.Label]) -> String {
        labels.map { "\($0.name)=\"\(escaped($0.value).replacing("\"", with: "\\\""))\"" }.joined(separator: ",")
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? value.description
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
}

/// One line of `GET /metrics`, or the lines of one histogram.
struct Sample: Sendable {
    /// What is measured, with its labels.
    struct Series: Hashable, Sendable {
        let name: String
        let labels: [Label]
    }

    struct Label: Hashable, Sendable {
        let name: String
        let value: String
    }

    enum Reading: Sendable {
        case number(Double)
        case histogram(Histogram)
    }

    let series: Series
    let reading: Reading

    init(_ series: Series, _ reading: Reading) {
        self.series = series
        self.reading = reading
    }

    init(_ metric: Metric, _ number: Double, labels: [Label] = []) {
        self.init(Series(name: metric.name, labels: labels), .number(number))
    }

    init(_ metric: Metric, _ histogram: Histogram) {
        self.init(Series(name: metric.name, labels: []), .histogram(histogram))
    }
}
