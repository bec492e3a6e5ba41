import SyncEngine
import SyncStore

extension StoreMetrics {
    var samples: [Sample] {
        [
            Sample(.commits, Double(groups.count)), Sample(.groups, groups),
            Sample(.waitingWrites, Double(waitingWrites)), Sample(.logBytes, Double(logBytes)),
        ]
    }
}

extension PageCacheMetrics {
    var samples: [Sample] {
        [("kept", kept), ("awaited", awaited), ("missing", missing)].map { result, count in
            Sample(.cacheRequests, Double(count), [Sample.Label(name: "result", value: result)])
        } + [Sample(.cachePages, Double(pages)), Sample(.cacheBytes, Double(bytes))]
    }
}
