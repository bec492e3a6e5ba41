import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// `GET /admin/status/`.
struct ServerStatusController<Store: SyncStore>: Sendable {
    let services: Services<Store>
    let metrics: ServerMetrics
    let slow: SlowRequests
    let busy: BusyProjects
    let startedAt: Instant

    func status(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireSuperuser("Reading the server's status")
        let busiest = busy.all
        let names = try await services.storage.names(of: busiest.map(\.project))
        let status = ServerStatus(
            schema: services.registry.version, store: services.store.metrics, startedAt: startedAt,
            now: services.clock.now(), samples: metrics.registry.samples(), slowest: slow.all,
            busiest: busiest.map { $0.json(names) })
        return Reply(status.json).response(to: request)
    }
}
