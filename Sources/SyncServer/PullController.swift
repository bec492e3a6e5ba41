import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema

/// `GET /projects/{id}/sync/` and `GET /projects/{id}/sync/digest/`.
struct PullController<Store: SyncStore>: Sendable {
    let service: PullService<Store>
    let registry: Registry
    let settings: SyncSettings

    func page(_ request: Request, _ context: CallerContext) async throws -> Response {
        let page = try await service.page(try pullRequest(request, context), for: context.caller)
        var reply = Reply(body: page.body)
        reply.headers[.tidemarkHead] = page.head.description
        return reply.response(to: request)
    }

    func digest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let pull = PullRequest(
            project: try context.parameters.require("project"),
            collections: try Query(request).text("collections").map(collections))
        let digests = try await service.digests(pull, for: context.caller)
        return Reply(["timestamp": .int(digests.head.rawValue), "digest": digests.json]).response(to: request)
    }

    private func pullRequest(_ request: Request, _ context: CallerContext) throws -> PullRequest {
        let query = try Query(request)
        try query.require("stream", "false")
        // With its value comes a stream, or a client that takes one answer for all would lose the other pages.
        try query.require("last_pulled_at", nil)
        var pull = PullRequest(
            project: try context.parameters.require("project"), since: try query.watermark(),
            cursor: query.text("cursor").flatMap { $0.isEmpty ? nil : $0 },
            pageSize: try query.pageSize(default: settings.pullPageSize, maximum: settings.pullMaximumPageSize),
            collections: try query.text("collections").map(collections))
        pull.encoding = try query.encoding()
        pull.splitsCreated = try query.flag("split_created")
        pull.migration = try query.migration(registry)
        return pull
    }

    private func collections(_ list: String) throws -> Set<String> {
        let names = Set(list.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        if let unknown = names.sorted().first(where: { registry[$0] == nil }) {
            throw Problem(
                .unknownCollection,
                "There is no collection \"\(unknown)\". There are \(registry.collections.map(\.name).joined(separator: ", "))."
            )
        }
        return names
    }
}

extension HTTPField.Name {
    /// The project's head at the time of the answer.
    static let tidemarkHead = HTTPField.Name("Tidemark-Head")!
    /// The answer is that of an earlier request with the same batch id.
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
}
