package import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
import SyncAccounts
import SyncEngine
import SyncProtocol
package import SyncStore

/// The HTTP side of Tidemark: routes, authentication and error documents.
package struct SyncServer<Store: SyncStore>: Sendable {
    let services: Services<Store>
    let metrics = ServerMetrics()
    let slow: SlowRequests
    let busy: BusyProjects
    let upkeep: UpkeepService<Store>
    let causes: CauseList
    private let pulse: DatabasePulse
    private let clockWatch = ClockWatch()
    let startedAt: SyncProtocol.Instant
    let observation: ObservationSettings
    let events: EventSettings

    package init(
        _ services: Services<Store>, observation: ObservationSettings = ObservationSettings(),
        events: EventSettings = EventSettings(), maintenance: Maintenance = Maintenance()
    ) {
        self.services = services
        self.observation = observation
        self.events = events
        slow = SlowRequests(services.clock)
        startedAt = services.clock.now()
        busy = BusyProjects(services.clock)
        upkeep = UpkeepService(
            maintenance: maintenance, store: services.store, audit: services.audit, work: BackgroundWork(),
            clock: services.clock)
        causes = CauseList(services.clock)
        pulse = DatabasePulse(services.clock)
        metrics.watch(services.store, pull: services.pulls, schema: services.registry)
        metrics.watch(services.devices)
        metrics.watch(causes)
        watchCauses(maintenance)
    }

    private func watchCauses(_ maintenance: Maintenance) {
        causes.watch(services.store)
        causes.watch(pulse.findings)
        causes.watch(clockWatch.findings)
        causes.watch(DiskWatch(maintenance.folders, limit: maintenance.diskLowBytes).findings)
        if let backups = maintenance.backups { causes.watch(backups, since: startedAt) }
        if let checks = maintenance.checks { causes.watch(checks) }
    }

    /// An application that serves until it is shut down. `onRunning` is called with the port once the server listens.
    package func application(
        host: String, port: Int, edge: Edge = Edge(), logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let limit = ConnectionLimit(edge.limits.connections)
        metrics.watch(limit)
        if let certificates = edge.certificates { causes.watch(certificates) }
        services.identityRefusals.report { logger.warning("\($0.line)", metadata: $0.metadata) }
        return Application(
            responder: ListenerTasks(router(edge).buildResponder()), server: edge.server(limit),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "tidemark", backlog: 4096),
            services: background(edge, logger),
            onServerRunning: {
                endListeningAtShutdown()
                await onRunning($0.localAddress?.port ?? port)
            }, logger: logger)
    }

    /// Must be called by the task that runs the server, which waits for its connections when it shuts down.
    private func endListeningAtShutdown() {
        Task { [feed = services.feed] in
            try? await gracefulShutdown()
            feed.stop()
        }
    }

    /// Adds the age of the newest backup to the metrics.
    package func watch(_ backups: BackupTimer.Place) { metrics.watch(backups, services.clock) }

    /// Adds how many lines of the log were dropped.
    package func watch(_ log: LogQueue) { metrics.watch(log) }

    /// The services that run beside the requests.
    private func background(_ edge: Edge, _ logger: Logger) -> [any Service] {
        let purge = HourlyPurge(
            services.store, tombstones: services.purges, retention: services.settings.tombstoneRetention,
            waitingForDevices: services.settings.tombstoneWait, traces: services.recordPurges,
            comparing: services.fileComparison, files: services.fileSweep, logger: logger)
        var background: [any Service] = [
            purge, DeviceTimer(services.devices, logger: logger), upkeep.work,
            CauseWatch(
                store: services.store, causes: causes, pulse: pulse, clockWatch: clockWatch, clock: services.clock,
                logger: logger),
        ]
        if let certificates = edge.certificates { background.append(CertificateWatch(certificates, logger: logger)) }
        return background
    }
}

extension IdentityRefusal {
    fileprivate var line: String { "A token of the outside issuer was refused: \(sentence)." }

    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["reason": "\(reason.rawValue)"]
        if let claimed { metadata["claimed"] = "\(claimed)" }
        if let expected { metadata["expected"] = "\(expected)" }
        if others > 0 { metadata["others"] = .stringConvertible(others) }
        return metadata
    }
}

/// The operator's settings for listeners.
package struct EventSettings: Sendable, Equatable {
    /// The most event streams at a time; `TIDEMARK_EVENTS_STREAMS`.
    package var streams = 20_000

    package init() {}
}

/// The operator's settings for metrics and the log.
package struct ObservationSettings: Sendable, Equatable {
    package var metrics = MetricsSettings()
    package var log = LogSettings()

    package init() {}
}

/// Answers requests that may last in a task of their own.
///
/// A task keeps the memory of its deepest call for as long as it lives, and that of a connection lives as long as the
/// connection. For a stream of events that was 30 KB.
package struct ListenerTasks<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    private let base: Base

    init(_ base: Base) { self.base = base }

    package func respond(to request: Request, context: ServerContext) async throws -> Response {
        guard request.mayLast else { return try await base.respond(to: request, context: context) }
        let task = Task { try await base.respond(to: request, context: context) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Request {
    /// Whether it asks for events, or for a pull that waits.
    fileprivate var mayLast: Bool {
        guard method == .get else { return false }
        return uri.path.hasSuffix("/events/") || uri.path.hasSuffix("/events") || uri.query?.contains("wait=") == true
    }
}
