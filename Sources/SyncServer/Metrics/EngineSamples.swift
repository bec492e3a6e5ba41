import SyncEngine
import SyncStore

extension StoreMetrics {
    var samples: [Sample] {
        [
            Sample(.commits, Double(groups.count)), Sample(.groups, groups),
            Sample(.waitingWrites, Double(waitingWrites)), Sample(.logBytes, Double(logBytes)),
        ] + (shared?.samples ?? [])
    }
}

extension SharedDatabaseMetrics {
    fileprivate var samples: [Sample] {
        [
            Sample(.markQuestions, questions), Sample(.heartbeatAge, heartbeatAge / .seconds(1)),
            Sample(.clockGap, clockGap / .seconds(1)), Sample(.servers, Double(servers)),
        ]
            + pools.flatMap { pool in
                let labels = [Sample.Label(name: "pool", value: pool.name)]
                return [
                    Sample(.usedConnections, Double(pool.used), labels),
                    Sample(.awaitedConnections, Double(pool.waiting), labels),
                ]
            }
    }
}

extension PageCacheMetrics {
    var samples: [Sample] {
        [("kept", kept), ("awaited", awaited), ("missing", missing)].map { result, count in
            Sample(.cacheRequests, Double(count), [Sample.Label(name: "result", value: result)])
        } + [Sample(.cachePages, Double(pages)), Sample(.cacheBytes, Double(bytes))]
    }
}
