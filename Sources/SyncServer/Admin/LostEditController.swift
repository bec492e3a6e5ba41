import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `GET /admin/rejected/`.
struct LostEditController<Store: SyncStore>: Sendable {
    let service: LostEditService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, after) = try query.idPage()
        let selection = LostEditSelection(
            user: try query.userID(), project: query.text("project"), before: after == 0 ? nil : after,
            since: Instant(milliseconds: 0))
        let page = try await service.list(selection, limit: limit, for: context.caller)
        let next = page.next.map { JSON.string(String($0)) } ?? .null
        return Reply(["results": .array(page.results), "next": next]).response(to: request)
    }
}
