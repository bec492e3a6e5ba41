import CoreMetrics
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
    func watch(_ store: some SyncStore, _ pull: PullService<some SyncStore>, _ schema: Registry) {
        let labels = [("version", Release.version), ("schema", schema.version), ("store", store.metrics.engine)]
        let build = Sample(.build, 1, labels.map { Sample.Label(name: $0.0, value: $0.1) })
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

    /// Adds the time of the newest backup.
    func watch(_ backups: BackupTimer.Place, _ clock: WallClock) {
        registry.collect {
            // A folder that can't be read gives no sample.
            guard let newest = try? backups.newest(clock.now()) else { return [] }
            return [Sample(.newestBackup, Double(newest.milliseconds) / 1000)]
        }
    }
}
