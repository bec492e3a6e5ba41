import SyncStore

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

    init(_ metric: Metric, _ number: Double, _ labels: [Label] = []) {
        self.init(Series(name: metric.name, labels: labels), .number(number))
    }

    init(_ metric: Metric, _ histogram: Histogram) {
        self.init(Series(name: metric.name, labels: []), .histogram(histogram))
    }
}
