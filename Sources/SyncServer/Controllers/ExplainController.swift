import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `/admin/explain/`: whether a user sees a row, and why.
struct ExplainController<Store: SyncStore>: Sendable {
    let service: ExplainService<Store>

    func explain(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let question = ExplainService<Store>.Question(
            user: try required("user", query), collection: try required("collection", query),
            id: try required("id", query), since: try query.since())
        return Reply(try await service.explain(question, for: context.caller)).response(to: request)
    }

    private func required(_ name: String, _ query: Query) throws -> String {
        guard let text = query.text(name), !text.isEmpty else {
            throw Problem(.invalidParameter, "\(name) is missing: name a user, a collection and the id of a row.")
        }
        return text
    }
}
