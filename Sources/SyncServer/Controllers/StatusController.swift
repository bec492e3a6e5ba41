import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncStore

/// `GET /`, `/health/` and `/ready/`: whether the server lives, and whether it can serve.
struct StatusController<Store: SyncStore>: Sendable {
    private let store: Store
    private let access: MetricsAccess
    private let door: FrontDoor

    init(_ store: Store, _ access: MetricsAccess, frontDoor: FrontDoor) {
        self.store = store
        self.access = access
        door = frontDoor
    }

    func frontDoor(_ request: Request, _ context: ServerContext) async throws -> Response {
        if let redirect = door.redirect(request) { return redirect }
        return FrontDoor.varied(try await health(request, context))
    }

    func health(_ request: Request, _ context: ServerContext) async throws -> Response {
        Reply(["status": "alive"]).response(to: request)
    }

    func ready(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try await store.read(.installation) { try $0.project("") }
        // For the operator: strangers need not know what the server suffers from.
        let isOperator = (try? access.require(request, from: context.peer)) != nil
        let warnings = isOperator ? store.metrics.warnings.map { JSON.string($0) } : []
        return Reply(["status": "ready", "warnings": .array(warnings)]).response(to: request)
    }
}
