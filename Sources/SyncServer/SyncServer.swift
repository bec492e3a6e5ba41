import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
package import SyncEngine
import SyncProtocol
package import SyncSchema

/// The HTTP side of Tidemark: routes, authentication, error documents.
package struct SyncServer<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry
    private let accounts: AccountService<Store>
    private let pull: PullController<Store>
    private let upload: UploadController<Store>
    private let projects: ProjectController<Store>
    private let items: ItemService<Store>

    /// Makes the services on `store`, whose installation is prepared first.
    package init(
        store: Store, registry: Registry, settings: SyncSettings = SyncSettings(), clock: WallClock = .system
    ) async throws {
        try await Installation.prepare(store, registry)
        self.store = store
        self.registry = registry
        accounts = AccountService(store: store, registry: registry, clock: clock)
        pull = PullController(
            service: try await PullService(store: store, registry: registry), registry: registry, settings: settings)
        let retention = Duration.seconds(settings.batchRetentionHours * 3600)
        let limits = UploadLimits(
            perProject: settings.uploadRatePerProject, perUser: settings.uploadRatePerUser, clock: clock)
        upload = UploadController(
            service: UploadService(
                store: store, registry: registry, clock: clock, retention: retention, limits: limits),
            registry: registry, settings: settings)
        items = ItemService(store: store, registry: registry, clock: clock, retention: retention)
        projects = ProjectController(
            collection: registry.projects,
            service: ProjectService(store: store, registry: registry, clock: clock, retention: retention), items: items)
    }

    /// An application that serves until it is told to stop. `onRunning` is called with the port once it listens.
    package func application(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: router(),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "tidemark", backlog: 4096),
            onServerRunning: { await onRunning($0.localAddress?.port ?? port) }, logger: logger)
    }

    private func router() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.add(middleware: ProblemMiddleware())
        for prefix in ["/api/v1", ""] {
            let open = Routes(router.group("\(prefix)"))
            open.route("health", [.get: health])
            open.route("ready", [.get: ready])
            let closed = router.group("\(prefix)").add(
                middleware: BearerAuthentication { try await accounts.authenticate(token: $0) })
            let routes = Routes(closed.group(context: CallerContext.self))
            routes.route("schemas", [.get: schemas])
            routes.route("projects", [.get: projects.list, .post: projects.create])
            routes.route("projects/:project/archive", [.post: projects.archive])
            routes.route("projects/:project/unarchive", [.post: projects.unarchive])
            routes.route("projects/:project/sync", [.get: pull.page, .post: upload.upload])
            for collection in registry.collections { addItems(of: collection, to: routes) }
        }
        return router
    }

    private func addItems(of collection: Collection, to routes: Routes<CallerContext>) {
        let controller = ItemController(collection: collection, service: items)
        let item: [HTTPRequest.Method: Routes<CallerContext>.Handler] = [
            .get: controller.read, .patch: controller.update, .delete: controller.delete,
        ]
        guard collection.scope != .project else { return routes.route("projects/:project", item) }
        routes.route(
            "projects/:project/\(collection.name)", [.get: controller.list, .post: controller.create])
        routes.route("\(collection.name)/:id", item)
    }

    private func health(_ request: Request, _ context: ServerContext) async throws -> Response {
        Reply(["status": "alive"]).response(to: request)
    }

    private func ready(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try await store.read { try $0.project("") }
        return Reply(["status": "ready"]).response(to: request)
    }

    /// What a client needs to build its tables.
    private func schemas(_ request: Request, _ context: CallerContext) async throws -> Response {
        let tag = "\"\(registry.version)\""
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: [.eTag: tag]) }
        var reply = Reply([
            "schema_version": .string(registry.version), "collections": .array(registry.collections.map(\.document)),
        ])
        reply.headers[.eTag] = tag
        return reply.response(to: request)
    }
}
