import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncStore

/// `GET /admin/audit/`.
struct AuditController<Store: SyncStore>: Sendable {
    let service: AuditService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, after) = try query.idPage()
        var selection = AuditSelection(
            user: try query.userID(), project: query.text("project"), before: after == 0 ? nil : after,
            since: Instant(milliseconds: 0))
        if let name = query.text("action") {
            guard let action = AuditAction.all.first(where: { $0.rawValue == name }) else {
                throw Problem(.invalidParameter, "action must be the name of an action, such as user_disabled.")
            }
            selection.action = action
        }
        let page = try await service.list(selection, limit: limit, for: context.caller)
        let next = page.next.map { JSON.string(String($0)) } ?? .null
        return Reply(["results": .array(page.results), "next": next]).response(to: request)
    }
}
