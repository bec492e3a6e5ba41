import ArgumentParser
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncServer
import SyncStore

/// The upper limit for an upload: a route that authenticates as
/// the server does, reads the same body, and stores nothing.
struct DiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Take uploads, check their envelopes, and discard them.")

    @OptionGroup var guest: GuestOptions
    @OptionGroup var options: ReferenceOptions

    func run() async throws {
        let guest = try Guest(guest)
        let registry = guest.registry
        let authenticator = Authenticator(
            store: guest.store, tokens: try await Installation.accessTokens(guest.store), identity: nil,
            clock: .system)
        let body = ReferenceServer.body(bytes: options.bytes)
        let router = Router(context: ServerContext.self)
        router.group().add(
            middleware: BearerAuthentication(
                authenticator: authenticator, tickets: TicketService(store: guest.store, clock: .system))
        )
        .group(context: CallerContext.self)
        .post("/api/v1/projects/:project/sync/") { request, context in
            let upload = try UploadRequest(
                project: try context.parameters.require("project"), body: try await JSONBody.read(request),
                registry: registry, maximumRows: 500)
            guard upload.batchID != nil else { throw HTTPError(.badRequest) }
            return ReferenceServer.answer(body)
        }
        try await ReferenceServer.run(router, port: options.port)
    }
}
