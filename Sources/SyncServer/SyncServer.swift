package import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
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
    let startedAt: SyncProtocol.Instant
    let observation: ObservationSettings
    let events: EventSettings

    package init(
        _ services: Services<Store>, observation: ObservationSettings = ObservationSettings(),
        events: EventSettings = EventSettings(), maintenance: Maintenance = Maintenance()
    ) {
        (self.services, self.observation, self.events) = (services, observation, events)
        (slow, startedAt) = (SlowRequests(services.clock), services.clock.now())
        busy = BusyProjects(services.clock)
        upkeep = UpkeepService(
            maintenance: maintenance, store: services.store, audit: services.audit, work: BackgroundWork(),
            clock: services.clock)
        metrics.watch(services.store, services.pulls, services.registry)
        metrics.watch(services.devices)
    }

    /// An application that serves until it is shut down. `onRunning` is called with the port once the server listens.
    package func application(
        host: String, port: Int, edge: Edge = Edge(), logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let limit = ConnectionLimit(edge.limits.connections)
        metrics.watch(limit)
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
            services.store, services.purges, retention: services.settings.tombstoneRetention,
            waitingForDevices: services.settings.tombstoneWait, services.recordPurges, logger: logger)
        var background: [any Service] = [
            purge, DeviceTimer(services.devices, logger: logger), upkeep.work,
        ]
        if let certificates = edge.certificates { background.append(CertificateWatch(certificates, logger: logger)) }
        return background
    }
}
