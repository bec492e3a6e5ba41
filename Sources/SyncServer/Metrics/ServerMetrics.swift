import CoreMetrics
import NIOCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// All metrics of a server.
struct ServerMetrics: Sendable {
    let registry = MetricsRegistry()
    let uploads: UploadMetrics
    let events: EventMetrics

    init() { (uploads, events) = (UploadMetrics(registry), EventMetrics(registry)) }

    /// Adds the metrics that the store, the page cache and the process keep. They are read at each scrape.
    func watch(_ store: some SyncStore, pull: PullService<some SyncStore>, schema: Registry) {
        let labels = [
            ("version", Release.build), ("schema", schema.version), ("store", store.metrics.engine),
            ("layout", String(store.metrics.layout)),
        ]
        let build = Sample(.build, 1, labels: labels.map { Sample.Label(name: $0.0, value: $0.1) })
        registry.collect { store.metrics.samples + pull.cacheMetrics.samples + ProcessMetrics().samples + [build] }
    }

    /// Adds the number of devices. They are counted now and then, not at each scrape.
    func watch(_ devices: DeviceService<some SyncStore>) {
        registry.collect {
            devices.counts.map {
                [Sample(.devices, Double($0.known)), Sample(.devicesBelowHorizon, Double($0.belowHorizon))]
            } ?? []
        }
    }

    /// Adds the number of open connections.
    func watch(_ limit: ConnectionLimit) { registry.collect { [Sample(.connections, Double(limit.taken))] } }

    /// Adds the number of lines that the log has dropped.
    func watch(_ log: LogQueue) { registry.collect { [Sample(.droppedLogLines, Double(log.dropped))] } }

    /// Adds what request bodies hold.
    func watch(_ bodies: BodyBudget) { registry.collect { [Sample(.bodyBytes, Double(bodies.held))] } }

    /// Adds the numbers of event streams and held pulls.
    func watch(_ limits: ListenerLimits) {
        registry.collect {
            let counts = limits.counts
            return [
                Sample(.eventStreams, Double(counts.streams)), Sample(.heldPulls, Double(counts.heldPulls)),
            ]
        }
    }

    /// Adds what keeps the server from working.
    func watch(_ causes: CauseList) { registry.collect { causes.samples } }

    /// Adds the time of the newest backup; 0 before the first.
    func watch(_ backups: BackupTimer.Place, _ clock: WallClock) {
        registry.collect {
            do {
                let newest = try backups.newest(clock.now())
                return [Sample(.newestBackup, newest.map { Double($0.milliseconds) / 1000 } ?? 0)]
            } catch {
                // A folder that can't be read gives no sample.
                return []
            }
        }
    }
}

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
                    Sample(.usedConnections, Double(pool.used), labels: labels),
                    Sample(.awaitedConnections, Double(pool.waiting), labels: labels),
                ]
            }
    }
}

extension PageCacheMetrics {
    var samples: [Sample] {
        [("kept", kept), ("awaited", awaited), ("missing", missing)].map { result, count in
            Sample(.cacheRequests, Double(count), labels: [Sample.Label(name: "result", value: result)])
        } + [Sample(.cachePages, Double(pages)), Sample(.cacheBytes, Double(bytes))]
    }
}

/// Counts what becomes of pokes.
struct EventMetrics: Sendable {
    /// Pokes that were added to one that had not left yet.
    let merged: Counter
    /// Streams that were closed because their client did not read.
    let slow: Counter
    private let delay: Timer

    init(_ registry: MetricsRegistry) {
        merged = Counter(label: Metric.mergedPokes.name, factory: registry)
        slow = Counter(label: Metric.slowStreams.name, factory: registry)
        delay = Timer(label: Metric.pokeDelay.name, factory: registry)
    }

    /// A poke was written now, for commits that the server heard of at `heardAt`.
    func poked(_ heardAt: NIODeadline) { delay.recordNanoseconds((NIODeadline.now() - heardAt).nanoseconds) }
}
