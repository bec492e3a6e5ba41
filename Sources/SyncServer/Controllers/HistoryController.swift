import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// `/{collection}/{id}/history/`, and `/projects/{project}/history/` for projects.
struct HistoryController<Store: SyncStore>: Sendable {
    let collection: Collection
    let service: HistoryService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let id = try context.parameters.require(collection.scope == .project ? "project" : "id")
        let page = try await service.page(
            of: id, in: collection, before: try place(query), limit: try query.limit(default: 100, maximum: 500),
            for: context.caller)
        return Reply([
            "results": .array(page.results), "next": page.next.map { .string($0.description) } ?? .null,
            "is_complete": .bool(page.isComplete),
        ]).response(to: request)
    }

    private func place(_ query: Query) throws -> ServerVersion? {
        guard let text = query.text("after"), !text.isEmpty else { return nil }
        guard let number = SyncSeq(decimal: text)?.rawValue, number > 0 else {
            throw Problem(.invalidParameter, "after takes the next of the previous page, unchanged.")
        }
        return ServerVersion(number)
    }
}
