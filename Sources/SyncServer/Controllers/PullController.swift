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
    let held: HeldPull<Store>

    func page(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (pull, streams) = try pullRequest(request, context)
        let look = PullLook(
            request, context, streams: streams,
            empty: { try await service.emptyPage(pull, for: $0, packed: $1) },
            page: { try await service.page(pull.at($2), for: $0, packed: $1) },
            stream: { try await service.stream(pull, for: $0) })
        return try await answer(look, context, wait(request, pull.since, pull.cursor), of: .project(pull.project))
    }

    func userPage(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (pull, streams) = try Query(request).userPullRequest(registry: registry, settings: settings)
        let look = PullLook(
            request, context, streams: streams,
            empty: { try await service.emptyPage(pull, for: $0, packed: $1) },
            page: { try await service.page(pull.at($2), for: $0, packed: $1) },
            stream: { try await service.stream(pull, for: $0) })
        return try await answer(look, context, wait(request, pull.since, pull.cursor), of: .memberships(pull.projects))
    }

    private func wait(_ request: Request, _ since: SyncSeq, _ cursor: String?) throws -> Int {
        try Query(request).wait(since: since, cursor: cursor)
    }

    private func answer(
        _ look: PullLook, _ context: CallerContext, _ seconds: Int, of scope: FeedScope
    ) async throws -> Response {
        guard seconds > 0 else { return try await look.answer() }
        return try await held.answer(after: seconds, context, of: scope) { try await look.judgedAnswer() }
    }

    func userDigest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        var pull = UserPullRequest(form: PullForm(collections: try query.collections(registry)))
        pull.projects = try query.projects()
        return Reply(try await service.digests(pull, for: context.caller).json).response(to: request)
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

extension PullRequest {
    /// The page at the cursor, or this page for nil.
    fileprivate func at(_ cursor: String?) -> PullRequest {
        var request = self
        if let cursor { request.cursor = cursor }
        return request
    }
}

extension UserPullRequest {
    /// The page at the cursor, or this page for nil.
    fileprivate func at(_ cursor: String?) -> UserPullRequest {
        var request = self
        if let cursor { request.cursor = cursor }
        return request
    }
}
