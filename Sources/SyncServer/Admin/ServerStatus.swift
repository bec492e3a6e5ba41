import SyncProtocol
import SyncStore

/// What a server says of itself to superusers. `tidemark_…` are its metrics, which are those of `GET /metrics`.
struct ServerStatus {
    let schema: String
    let store: StoreMetrics
    let startedAt: Instant
    let now: Instant
    let samples: [Sample]
    let slowest: [SlowRequests.Entry]
    let busiest: [JSON]

    var json: JSON {
        [
            "version": .string(Release.version), "schema_version": .string(schema),
            "database": .string(store.engine), "started_at": .string(startedAt.text),
            "now": .string(now.text), "warnings": .array(store.warnings.map(JSON.string)),
            "metrics": .array(samples.compactMap(\.json)), "slowest_requests": .array(slowest.map(\.json)),
            "busiest_projects": .array(busiest),
        ]
    }
}

extension Sample {
    /// Nil for a sample of no known family. Each bucket of a histogram also counts the values in the buckets below it;
    /// `count` has those above the last bound, too.
    fileprivate var json: JSON? {
        guard let metric = Metric.named[series.name] else { return nil }
        var members: [String: JSON] = [
            "name": .string(metric.name), "kind": .string(metric.kind.rawValue),
            "labels": .object(
                Dictionary(series.labels.map { ($0.name, JSON.string($0.value)) }, uniquingKeysWith: { $1 })),
        ]
        switch reading {
        case .number(let value): members["value"] = JSON(value)
        case .histogram(let histogram):
            members["sum"] = JSON(histogram.sum)
            members["count"] = .int(Int64(histogram.count))
            members["buckets"] = .array(histogram.cumulative.map { ["le": JSON($0), "count": .int(Int64($1))] })
        }
        return .object(members)
    }
}

extension Histogram {
    fileprivate var cumulative: [(bound: Double, count: Int)] {
        var count = 0
        return zip(bounds, counts).map { bound, bucket in
            count += bucket
            return (bound, count)
        }
    }
}
