import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
import SyncAccounts
package import SyncEngine
import SyncProtocol
package import SyncSchema
package import SyncStore

/// The HTTP side of Tidemark: routes, authentication, error documents.
package struct SyncServer<Store: SyncStore>: Sendable {
    private let store: Store
    private let purges: PurgeService<Store>
    private let traces: RecordPurge<Store>
    /// Nil: tombstones stay.
    private let retention: Duration?
    private let registry: Registry
    private let accounts: AccountControllers<Store>
    private let pull: PullController<Store>
    private let upload: UploadController<Store>
    private let inbox: InboxController<Store>
    private let projects: ProjectController<Store>
    private let items: ItemService<Store>
    private let description: DescriptionController
    private let metrics: ServerMetrics
    private let observation: ObservationSettings
    private let clock: WallClock
    /// A proxy asks in place of the clients.
    private let isBehindProxy: Bool

    /// Makes the services on `store`, whose installation is prepared first. `deadline` takes the place of the setting.
    package init(
        store: Store, registry: Registry, settings: SyncSettings = SyncSettings(), accounts: Accounts = Accounts(),
        observation: ObservationSettings = ObservationSettings(), clock: WallClock = .system,
        deadline: StreamDeadline? = nil
    ) async throws {
        try await Installation.prepare(store, registry)
        self.store = store
        self.observation = observation
        self.clock = clock
        metrics = ServerMetrics()
        isBehindProxy = accounts.settings.trustsForwardedFor
        purges = PurgeService(store: store, registry: registry, clock: clock)
        let days = settings.tombstoneRetentionDays
        self.retention = days > 0 ? .seconds(days * 86_400) : nil
        self.registry = registry
        self.accounts = try await AccountControllers(accounts, store: store, registry: registry, clock: clock)
        let streams = StreamSettings(
            deadline: deadline ?? settings.deadline, places: settings.streams)
        pull = PullController(
            service: try await PullService(
                store: store, registry: registry, limits: streams, cacheBytes: settings.pageCacheMegabytes << 20,
                packer: GzipPages()),
            registry: registry, settings: settings)
        let retention = settings.uploadRetention
        traces = RecordPurge(store: store, clock: clock, retention: retention)
        let limits = UploadLimits(
            perProject: settings.uploadRatePerProject, perUser: settings.uploadRatePerUser, clock: clock)
        upload = UploadController(
            service: UploadService(
                store: store, registry: registry, clock: clock, retention: retention, limits: limits),
            registry: registry, settings: settings, metrics: metrics.uploads)
        inbox = InboxController(
            service: InboxService(store: store, registry: registry, clock: clock, retention: retention.inbox))
        items = ItemService(store: store, registry: registry, clock: clock, retention: retention.batches)
        projects = ProjectController(
            collection: registry.projects,
            service: ProjectService(store: store, registry: registry, clock: clock, retention: retention.batches),
            items: items)
        description = DescriptionController(registry)
        metrics.watch(store, pull.service, registry)
    }

    /// An application that serves until it is told to stop. `onRunning` is called with the port once it listens.
    package func application(
        host: String, port: Int, edge: Edge = Edge(), logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let places = ConnectionLimit(edge.limits.connections)
        metrics.watch(places)
        return Application(
            router: router(edge.origins), server: edge.server(places),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "tidemark", backlog: 4096),
            services: services(edge, logger),
            onServerRunning: { await onRunning($0.localAddress?.port ?? port) }, logger: logger)
    }

    /// Has the metrics say how old the newest backup is.
    package func watch(_ backups: BackupTimer.Place) { metrics.watch(backups, clock) }

    /// What runs beside the requests.
    private func services(_ edge: Edge, _ logger: Logger) -> [any Service] {
        var services: [any Service] = [HourlyPurge(purges, retention: retention, traces, logger: logger)]
        if let certificates = edge.certificates { services.append(CertificateWatch(certificates, logger: logger)) }
        return services
    }

    private func router(_ origins: Origins) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        let (open, closed) = (openRoutes(), closedRoutes())
        let prefixes = ["/api/v1", ""]
        let requests = RequestMetrics(open.endpoints + closed.endpoints, prefixes: prefixes, metrics.registry)
        router.add(middleware: RequestObserver(metrics: requests, logLevel: observation.log.requestLevel))
        if !origins.isEmpty { router.add(middleware: CrossOrigin(origins: origins)) }
        router.add(middleware: ProblemMiddleware(metrics: requests))
        router.add(middleware: RequestChecks())
        for prefix in prefixes {
            open.register(in: router.group("\(prefix)"))
            let group = router.group("\(prefix)").add(
                middleware: BearerAuthentication(authenticator: accounts.authenticator))
            closed.register(in: group.group(context: CallerContext.self))
        }
        return router
    }

    /// What needs no token.
    private func openRoutes() -> Routes<ServerContext> {
        var routes = Routes<ServerContext>()
        routes.on(.frontDoor, frontDoor)
        routes.on(.health, health)
        routes.on(.ready, ready)
        routes.on(.metrics, metricsController.metrics)
        routes.on(.openAPI, description.openAPI)
        routes.on(.docs, description.docs)
        routes.on(.logIn, accounts.auth.logIn)
        routes.on(.refresh, accounts.auth.refresh)
        routes.on(.logOut, accounts.auth.logOut)
        return routes
    }

    private func closedRoutes() -> Routes<CallerContext> {
        var routes = Routes<CallerContext>()
        routes.on(.schemas, schemas)
        routes.on(.changePassword, accounts.auth.changePassword)
        routes.on(.me, accounts.auth.me)
        routes.on(.listTokens, accounts.tokens.list)
        routes.on(.createToken, accounts.tokens.create)
        routes.on(.deleteToken, accounts.tokens.delete)
        routes.on(.listUsers, accounts.users.list)
        routes.on(.pull(registry), pull.page)
        routes.on(.digest(registry), pull.digest)
        routes.on(.upload, upload.upload)
        routes.on(.listRejected, inbox.list)
        routes.on(.dismissRejected, inbox.dismiss)
        for collection in registry.collections { addItems(of: collection, to: &routes) }
        return routes
    }

    private func addItems(of collection: Collection, to routes: inout Routes<CallerContext>) {
        let controller = ItemController(collection: collection, service: items)
        if collection.scope == .project {
            routes.on(.listProjects(collection), projects.list)
            routes.on(.createProject(collection), projects.create)
            routes.on(.archive(collection), projects.archive)
            routes.on(.unarchive(collection), projects.unarchive)
        } else {
            routes.on(.list(collection), controller.list)
            routes.on(.create(collection), controller.create)
        }
        routes.on(.read(collection), controller.read)
        routes.on(.patch(collection), controller.update)
        routes.on(.delete(collection), controller.delete)
    }

    /// Every endpoint that has a route.
    var routed: [Endpoint] { openRoutes().endpoints + closedRoutes().endpoints }

    private var metricsController: MetricsController {
        let access = MetricsAccess(settings: observation.metrics, isBehindProxy: isBehindProxy)
        return MetricsController(access: access, registry: metrics.registry)
    }

    private func frontDoor(_ request: Request, _ context: ServerContext) async throws -> Response {
        if let redirect = FrontDoor.redirect(request) { return redirect }
        return FrontDoor.varied(try await health(request, context))
    }

    private func health(_ request: Request, _ context: ServerContext) async throws -> Response {
        Reply(["status": "alive"]).response(to: request)
    }

    private func ready(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try await store.read(.installation) { try $0.project("") }
        // For the operator: strangers need not know what the server suffers from.
        let isOperator = (try? metricsController.access.require(request, from: context.peer)) != nil
        let warnings = isOperator ? store.metrics.warnings.map { JSON.string($0) } : []
        return Reply(["status": "ready", "warnings": .array(warnings)]).response(to: request)
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
