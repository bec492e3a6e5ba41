import Hummingbird
import NIOCore
import SyncAccounts
import SyncEngine
import SyncSchema
import SyncStore

/// Maps endpoints to controllers.
extension SyncServer {
    /// What the paths of endpoints may begin with.
    static var prefixes: [String] { ["/api/v1", ""] }

    func router(_ edge: Edge) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        let bodies = BodyBudget(edge.limits.bodies)
        metrics.watch(bodies)
        let open = openRoutes(bodies)
        let closed = closedRoutes(edge.limits.connections, bodies)
        let prefixes = Self.prefixes
        let requests = RequestMetrics(open.endpoints + closed.endpoints, prefixes: prefixes, metrics.registry)
        router.add(middleware: RequestObserver(metrics: requests, slow: slow, logLevel: observation.log.requestLevel))
        if !edge.origins.isEmpty { router.add(middleware: CrossOrigin(origins: edge.origins)) }
        router.add(middleware: ProblemMiddleware(metrics: requests))
        router.add(middleware: RequestChecks())
        for prefix in prefixes {
            open.register(in: router.group("\(prefix)"))
            let group = router.group("\(prefix)").add(
                middleware: BearerAuthentication(authenticator: services.authenticator, tickets: services.tickets))
            closed.register(
                in: group.group(context: CallerContext.self).add(
                    middleware: DeviceObserver(devices: services.devices)
                ).add(middleware: CallerAddress(address: clientAddress)).add(
                    middleware: ProjectObserver(busy: busy)))
        }
        return router
    }

    /// The routes that need no token.
    private func openRoutes(_ bodies: BodyBudget) -> Routes<ServerContext> {
        let status = StatusController(
            services.store, causes: causes, access: metricsAccess, frontDoor: FrontDoor(services.registry))
        let auth = authController
        let description = DescriptionController(services.registry)
        let console = Endpoint.console(services.registry)
        var routes = Routes<ServerContext>(bodies) { _ in .stranger }
        routes.on(.frontDoor, status.frontDoor)
        routes.on(.health, status.health)
        routes.on(.ready, status.ready)
        routes.on(.metrics, MetricsController(access: metricsAccess, registry: metrics.registry).metrics)
        routes.on(.openAPI, description.openAPI)
        routes.on(.docs, description.docs)
        routes.on(console, ConsoleController(folder: console.path).file)
        let client = Endpoint.client(services.registry)
        routes.on(client, ClientController(folder: String(client.path.dropLast("index.js".count))).file)
        routes.on(.logIn, auth.logIn)
        routes.on(.refresh, auth.refresh)
        routes.on(.logOut, auth.logOut)
        return routes
    }

    /// The routes that need a token. `connections` is how many there may be.
    private func closedRoutes(_ connections: Int, _ bodies: BodyBudget) -> Routes<CallerContext> {
        let registry = services.registry
        let settings = services.settings
        let auth = authController
        let tokens = TokenController(service: services.tokens)
        let limits = ListenerLimits(streams: events.streams, connections: connections)
        metrics.watch(limits)
        causes.watch(limits)
        let pull = PullController(
            service: services.pulls, registry: registry, settings: settings,
            held: HeldPull(feed: services.feed, limits: limits, clock: services.clock))
        let upload = UploadController(
            service: services.uploads, registry: registry, settings: settings, metrics: metrics.uploads)
        let inbox = InboxController(service: services.inbox)
        var routes = Routes<CallerContext>(bodies) { .user($0.grant.caller.userID) }
        routes.on(.schemas, SchemaController(registry).schemas)
        routes.on(.changePassword, auth.changePassword)
        routes.on(.me, auth.me)
        routes.on(.listTokens, tokens.list)
        routes.on(.createToken, tokens.create)
        routes.on(.deleteToken, tokens.delete)
        routes.on(.listUsers, UserController(directory: services.directory).list)
        routes.on(.pull(registry), pull.page)
        routes.on(.digest(registry), pull.digest)
        routes.on(.userPull(registry), pull.userPage)
        routes.on(.userDigest(registry), pull.userDigest)
        routes.on(.events, EventController(services, limits: limits, metrics: metrics.events).events)
        routes.on(.issueTicket, TicketController(service: services.tickets).issue)
        routes.on(.upload, upload.upload)
        routes.on(.uploadAll, upload.uploadAll)
        let uploads = FileUploadController(
            service: services.fileUploads,
            limits: UploadHeaders.Limits(
                size: services.files.mostBytes, age: services.fileUploadAge.components.seconds),
            interim: services.interimAnswers)
        let files = FileController(service: services.files, uploads: uploads)
        routes.on(.sendFile(registry), files.send)
        routes.on(.readFile(registry), files.read)
        let tus = TusController(uploads: uploads)
        routes.on(.uploadLimits(registry), tus.options)
        routes.on(.beginUpload(registry), tus.begin)
        routes.on(.uploadState(registry)) {
            try await Tus.isAsked($0) ? tus.state($0, $1) : uploads.state($0, $1)
        }
        routes.on(.appendToUpload(registry)) {
            try await Tus.isAsked($0) ? tus.append($0, $1) : uploads.append($0, $1)
        }
        routes.on(.cancelUpload(registry)) {
            try await Tus.isAsked($0) ? tus.cancel($0, $1) : uploads.cancel($0, $1)
        }
        routes.on(.listRejected, inbox.list)
        routes.on(.dismissRejected, inbox.dismiss)
        routes.on(.listAllRejected, inbox.listAll)
        routes.on(.dismissAnyRejected, inbox.dismissAll)
        addDevices(to: &routes)
        addInstallation(to: &routes)
        addPeople(to: &routes)
        for collection in registry.collections { addItems(of: collection, to: &routes) }
        return routes
    }

    private func addDevices(to routes: inout Routes<CallerContext>) {
        let devices = DeviceController(service: services.devices)
        routes.on(.listDevices(services.registry), devices.list)
        routes.on(.forgetDevice(services.registry), devices.forget)
        routes.on(.listProjectDevices(services.registry), devices.listOfProject)
    }

    /// What superusers look at and do, besides accounts.
    private func addInstallation(to routes: inout Routes<CallerContext>) {
        let registry = services.registry
        let status = ServerStatusController(
            services: services, metrics: metrics, causes: causes, slow: slow, busy: busy, startedAt: startedAt)
        routes.on(.status(registry), status.status)
        routes.on(.explain(registry), ExplainController(service: services.explanations).explain)
        routes.on(.audit(registry), AuditController(service: services.audit).list)
        routes.on(.listLostEdits(registry), LostEditController(service: services.lostEdits).list)
        let storage = StorageController(service: services.storage, store: services.store, upkeep: upkeep)
        routes.on(.storage(registry), storage.summary)
        routes.on(.listStorage(registry), storage.projects)
        let maintenance = UpkeepController(service: upkeep)
        routes.on(.listBackups(registry), maintenance.backups)
        routes.on(.makeBackup(registry), maintenance.backUp)
        routes.on(.checkBackup(registry), maintenance.checkBackup)
        routes.on(.readCheck(registry), maintenance.check)
        routes.on(.startCheck(registry), maintenance.startCheck)
    }

    private func addPeople(to routes: inout Routes<CallerContext>) {
        let registry = services.registry
        let people = PeopleController(service: services.people)
        routes.on(.listAccounts(registry), people.list)
        routes.on(.addAccount(registry), people.add)
        routes.on(.readAccount(registry), people.read)
        routes.on(.changeAccount(registry), people.change)
        routes.on(.removeAccount(registry), people.remove)
        routes.on(.setPassword(registry), people.setPassword)
        routes.on(.revokeAll(registry), people.revokeAll)
        routes.on(.revoke(registry), people.revoke)
    }

    private func addItems(of collection: Collection, to routes: inout Routes<CallerContext>) {
        let controller = ItemController(collection: collection, service: services.items)
        if collection.scope == .project {
            let projects = ProjectController(
                collection: collection, service: services.projects, items: services.items)
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
        let history = HistoryController(collection: collection, service: services.histories)
        routes.on(.history(of: collection, services.registry), history.list)
    }

    /// All endpoints that have a route.
    var routed: [Endpoint] {
        let none = BodyBudget(0)
        return openRoutes(none).endpoints + closedRoutes(1, none).endpoints
    }

    private var authController: AuthController<Store> {
        AuthController(sessions: services.sessions, directory: services.directory, address: clientAddress)
    }

    private var clientAddress: ClientAddress {
        ClientAddress(trustsForwardedFor: services.accountSettings.trustsForwardedFor)
    }

    /// With a proxy, every connection comes from the proxy.
    private var metricsAccess: MetricsAccess {
        MetricsAccess(
            settings: observation.metrics, isBehindProxy: services.accountSettings.trustsForwardedFor)
    }
}
