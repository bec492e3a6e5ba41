package import SyncProtocol

extension LoadReport {
    /// For programs. Latencies in milliseconds, percentiles by name (`p99`).
    package var json: JSON {
        [
            "profile": .string(plan.profile.name), "clients": .int(Int64(plan.clients)),
            "threads": .int(Int64(plan.threads)), "seconds": JSON(seconds),
            "rate_asked": plan.rate.map { JSON($0) } ?? .null,
            "gzip": .bool(plan.acceptsGzip), "page_size": plan.pageSize.map { .int(Int64($0)) } ?? .null,
            "rows_per_batch": .int(Int64(plan.rowsPerBatch)), "requests": .int(Int64(requests)),
            "requests_per_second": JSON(Double(requests) / seconds), "rows": .int(Int64(rows)),
            "rows_per_second": JSON(Double(rows) / seconds), "bytes": .int(Int64(bytes)),
            "bytes_per_second": JSON(Double(bytes) / seconds),
            "kinds": .object(Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.json) })),
            "timeline": .array(timeline.map(\.json)), "checks": checks.json,
            "mistakes": .array(mistakes.entries.map(\.json)),
        ]
    }
}

extension LoadReport.Kind {
    fileprivate var json: JSON {
        var latency: [String: JSON] = ["mean": JSON(mean), "max": JSON(max)]
        for (name, value) in zip(LoadReport.percentileNames, percentiles) {
            latency[name] = JSON(value)
        }
        return [
            "count": .int(Int64(count)), "per_second": JSON(rate), "rows": .int(Int64(rows)),
            "bytes": .int(Int64(bytes)),
            "latency_ms": .object(latency),
        ]
    }
}

extension Measurements.Second {
    fileprivate var json: JSON {
        ["requests": .int(Int64(requests)), "rows": .int(Int64(rows)), "bytes": .int(Int64(bytes))]
    }
}

extension LoadReport.Checks {
    fileprivate var json: JSON {
        [
            "inspected_drains": .int(Int64(inspectedDrains)), "inspected_rows": .int(Int64(inspectedRows)),
            "digested_drains": .int(Int64(digestedDrains)), "compared_drains": .int(Int64(comparedDrains)),
            "polls": .int(Int64(polls)), "uploads": .int(Int64(uploads)),
        ]
    }
}

extension Mistakes.Entry {
    fileprivate var json: JSON {
        ["what": .string(what), "count": .int(Int64(count)), "example": .string(example)]
    }
}
