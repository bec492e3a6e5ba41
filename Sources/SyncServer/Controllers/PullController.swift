import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// `GET /projects/{id}/sync/` and `GET /projects/{id}/sync/digest/`; the same over all projects of the caller, at
/// `/sync/` and `/sync/digest/`.
struct PullController<Store: SyncStore>: Sendable {
    let service: PullService<Store>
    let registry: Registry
    let settings: SyncSettings

    func page(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (pull, streams) = try pullRequest(request, context)
        return try await answer(
            request, context, streams: streams,
            empty: { try await service.emptyPage(pull, for: $0, packed: $1) },
            page: { try await service.page(pull, for: $0, packed: $1) },
            stream: { try await service.stream(pull, for: $0) })
    }

    func userPage(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (pull, streams) = try Query(request).userPullRequest(registry: registry, settings: settings)
        return try await answer(
            request, context, streams: streams,
            empty: { try await service.emptyPage(pull, for: $0, packed: $1) },
            page: { try await service.page(pull, for: $0, packed: $1) },
            stream: { try await service.stream(pull, for: $0) })
    }

    /// A page or a stream. A stream that is known to be empty is answered like a page.
    private func answer(
        _ request: Request, _ context: CallerContext, streams: Bool,
        empty: (Caller, Bool) async throws -> PageResponse?, page: (Caller, Bool) async throws -> PageResponse,
        stream: (Caller) async throws -> PullStream
    ) async throws -> Response {
        let (caller, packed) = (context.caller, request.acceptsGzip)
        guard streams else { return reply(try await page(caller, packed)).response(to: request) }
        if let page = try await empty(caller, packed) { return reply(page).response(to: request) }
        let stream = try await stream(caller)
        return StreamReply(stream: stream, channel: context.channel, logger: context.logger).response(to: request)
    }

    func userDigest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        var pull = UserPullRequest(form: PullForm(collections: try query.collections(registry)))
        pull.projects = try query.projects()
        return Reply(try await service.digests(pull, for: context.caller).json).response(to: request)
    }

    private func reply(_ page: PageResponse) -> Reply {
        var reply = Reply(parts: page.parts)
        reply.isPacked = page.isPacked
        reply.headers[.tidemarkHead] = page.head.description
        return reply
    }

    func digest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let pull = PullRequest(
            project: try context.parameters.require("project"),
            collections: try Query(request).collections(registry))
        let digests = try await service.digests(pull, for: context.caller)
        return Reply(["timestamp": .int(digests.head.rawValue), "digest": digests.json]).response(to: request)
    }

    /// The pull that is asked for, and whether it is streamed in one answer.
    private func pullRequest(_ request: Request, _ context: CallerContext) throws -> (PullRequest, streams: Bool) {
        try Query(request).pullRequest(
            of: try context.parameters.require("project"), registry: registry, settings: settings)
    }
}

extension HTTPField.Name {
    /// The project's head at the time of the answer.
    static let tidemarkHead = HTTPField.Name("Tidemark-Head")!
    /// The answer is that of an earlier request with the same batch id or idempotency key.
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
}
