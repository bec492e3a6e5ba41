import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `GET /admin/rejected/`.
struct LostEditController<Store: SyncStore>: Sendable {
    let service: LostEditService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, before) = try query.newestFirstPage()
        let selection = LostEditSelection(user: try query.userID(), project: query.text("project"), before: before)
        let page = try await service.list(selection, limit: limit, for: context.caller)
        return Reply(results: page.results, next: page.next.map(String.init)).response(to: request)
    }
}
