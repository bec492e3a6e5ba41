import CoreMetrics
@testable import SyncServer
import Testing

/// The text format, and the instruments of swift-metrics that it prints.
@Suite struct PrometheusTextTests {
    private let registry = MetricsRegistry()

    private var lines: [String] { PrometheusText(registry.samples()).text.split(separator: "\n").map(String.init) }

    @Test func aFamilyHasItsHelpItsTypeAndItsSeries() {
        for (code, count) in [("b", 2), ("a", 1)] {
            Counter(label: Metric.problems.name, dimensions: [("code", code)], factory: registry).increment(by: count)
        }
        #expect(
            lines == [
                "# HELP tidemark_problems_total Refused requests by error code.",
                "# TYPE tidemark_problems_total counter", "tidemark_problems_total{code=\"a\"} 1",
                "tidemark_problems_total{code=\"b\"} 2",
            ])
    }

    @Test func aHistogramCountsWhatIsBelowEachBound() {
        let timer = Timer(label: Metric.durations.name, dimensions: [("route", "/x/")], factory: registry)
        for milliseconds in [1, 3, 3, 20_000] { timer.recordMilliseconds(milliseconds) }
        let name = "tidemark_http_request_duration_seconds"
        for (bound, count) in [("0.0005", 0), ("0.001", 1), ("0.0025", 1), ("0.005", 3), ("10", 3), ("+Inf", 4)] {
            #expect(lines.contains("\(name)_bucket{route=\"/x/\",le=\"\(bound)\"} \(count)"), "\(bound)")
        }
        #expect(lines.contains("\(name)_count{route=\"/x/\"} 4"))
        #expect(lines.contains { $0.hasPrefix("\(name)_sum{route=\"/x/\"} 20.00") })
    }

    @Test func labelsAreEscaped() {
        let hostile = "a\"b\\c\nd"
        Counter(label: Metric.problems.name, dimensions: [("code", hostile)], factory: registry).increment()
        #expect(lines.last == #"tidemark_problems_total{code="a\"b\\c\nd"} 1"#)
    }

    @Test func handlesOfOneSeriesCountTogether() {
        for _ in 0..<2 { Counter(label: Metric.replays.name, factory: registry).increment() }
        #expect(lines.last == "tidemark_upload_replays_total 2")
        Counter(label: Metric.replays.name, factory: registry).destroy()
        #expect(lines.isEmpty)
    }

    @Test func gaugesGoUpAndDown() {
        let gauge = Meter(label: Metric.waitingWrites.name, factory: registry)
        gauge.set(5)
        gauge.increment(by: 2.5)
        gauge.decrement(by: 1)
        #expect(lines.last == "tidemark_write_queue_length 6.5")
        Recorder(label: Metric.waitingWrites.name, factory: registry).record(9)
        Gauge(label: Metric.logBytes.name, factory: registry).record(3)
        #expect(lines.contains("tidemark_write_queue_length 6.5"))
        #expect(lines.contains("tidemark_wal_bytes 3"))
    }

    @Test func collectorsAreAskedEachTime() {
        registry.collect { [Sample(.cachePages, 3)] }
        #expect(lines.last == "tidemark_page_cache_pages 3")
    }

    @Test func noFamilyIsThereTwice() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
        for metric in Metric.all {
            #expect(metric.kind == .histogram || metric.bounds.isEmpty)
            #expect(metric.bounds == metric.bounds.sorted())
            #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"))
        }
    }
}
