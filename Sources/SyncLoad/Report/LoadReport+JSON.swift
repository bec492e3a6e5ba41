package import SyncProtocol

extension LoadReport {
    /// The report for programs. Latencies are in milliseconds; percentiles have names such as `p99`.
    package var json: JSON {
        [
            "date": .string(circumstances.time.text),
            "server": [
                "address": .string(plan.target.authority),
                "version": circumstances.version.map(JSON.string) ?? .null,
            ],
            "machine": circumstances.machine.json, "project_rows": .int(Int64(projectRows)),
            "profile": .string(plan.profile.name), "clients": .int(Int64(plan.clients)),
            "threads": .int(Int64(plan.threads)), "seconds": JSON(seconds),
            "warm_up": JSON(plan.warmUp),
            "rate_asked": plan.rate.map { JSON($0) } ?? .null,
            "gzip": .bool(plan.acceptsGzip), "page_size": plan.pageSize.map { .int(Int64($0)) } ?? .null,
            "rows_per_batch": .int(Int64(plan.rowsPerBatch)), "requests": .int(Int64(requests)),
            "requests_per_second": JSON(Double(requests) / seconds), "rows": .int(Int64(rows)),
            "rows_per_second": JSON(Double(rows) / seconds), "bytes": .int(Int64(bytes)),
            "bytes_per_second": JSON(Double(bytes) / seconds),
            "kinds": .object(Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.json) })),
            "timeline": .array(timeline.steps.map(\.json)), "checks": checks.json,
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

extension Timeline.Step {
    /// `from` and `to` are in seconds, and below 0 during the warm-up.
    fileprivate var json: JSON {
        [
            "from": JSON(start), "to": JSON(end), "requests": .int(Int64(second.count)),
            "rows": .int(Int64(second.rows)), "bytes": .int(Int64(second.bytes)),
            "slowest_ms": JSON(Double(second.slowest) / 1e6),
        ]
    }
}

extension LoadMachine {
    fileprivate var json: JSON {
        [
            "cores": .int(Int64(cores)), "memory_bytes": .int(Int64(memory)), "system": .string(system),
            "processor": processor.map(JSON.string) ?? .null,
        ]
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
