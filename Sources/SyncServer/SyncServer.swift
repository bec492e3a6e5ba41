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
    private let accounts: AccountControllers<Store>
    private let pull: PullController<Store>
    private let upload: UploadController<Store>
    private let projects: ProjectController<Store>

    /// Makes the services on `store`, whose installation is prepared first.
    package init(
        store: Store, registry: Registry, settings: SyncSettings = SyncSettings(), accounts: Accounts = Accounts(),
        clock: WallClock = .system
    ) async throws {
        try await Installation.prepare(store, registry)
        self.store = store
        self.registry = registry
        self.accounts = try await AccountControllers(accounts, store: store, registry: registry, clock: clock)
        pull = PullController(
            service: try await PullService(store: store, registry: registry), registry: registry, settings: settings)
        let retention = Duration.seconds(settings.batchRetentionHours * 3600)
        upload = UploadController(
            service: UploadService(store: store, registry: registry, clock: clock, retention: retention),
            registry: registry, settings: settings)
        projects = ProjectController(service: ProjectService(store: store, registry: registry, clock: clock))
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
            open.route("auth/token", [.post: accounts.auth.logIn])
            open.route("auth/token/refresh", [.post: accounts.auth.refresh])
            open.route("auth/logout", [.post: accounts.auth.logOut])
            let closed = router.group("\(prefix)").add(
                middleware: BearerAuthentication(authenticator: accounts.authenticator))
            let routes = Routes(closed.group(context: CallerContext.self))
            routes.route("schemas", [.get: schemas])
            routes.route("auth/me", [.get: accounts.auth.me])
            routes.route("auth/tokens", [.get: accounts.tokens.list, .post: accounts.tokens.create])
            routes.route("auth/tokens/:token", [.delete: accounts.tokens.delete])
            routes.route("users", [.get: accounts.users.list])
            routes.route("projects", [.get: projects.list, .post: projects.create])
            routes.route("projects/:project/sync", [.get: pull.page, .post: upload.upload])
        }
        return router
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
