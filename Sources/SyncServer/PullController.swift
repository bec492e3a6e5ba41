import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema

/// `GET /projects/{id}/sync/`.
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

    private func pullRequest(_ request: Request, _ context: CallerContext) throws -> PullRequest {
        let query = try Query(request)
        for (name, served) in [
            ("encoding", "json"), ("split_created", "false"), ("stream", "false"), ("migration", "null"),
            ("last_pulled_at", ""),
        ] { try query.require(name, served) }
        return PullRequest(
            project: try context.parameters.require("project"), since: try query.since(),
            cursor: query.text("cursor").flatMap { $0.isEmpty ? nil : $0 },
            pageSize: try query.pageSize(default: settings.pullPageSize, maximum: settings.pullMaximumPageSize),
            collections: try query.text("collections").map(collections))
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
