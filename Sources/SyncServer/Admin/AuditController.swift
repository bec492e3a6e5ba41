import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncStore

/// `GET /admin/audit/`.
struct AuditController<Store: SyncStore>: Sendable {
    let service: AuditService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, before) = try query.newestFirstPage()
        var selection = AuditSelection(user: try query.userID(), project: query.text("project"), before: before)
        if let name = query.text("action") {
            guard let action = AuditAction(rawValue: name) else {
                throw Problem(.invalidParameter, "action must be the name of an action, such as user_disabled.")
            }
            selection.action = action
        }
        let page = try await service.list(selection, limit: limit, for: context.caller)
        return Reply(results: page.results, next: page.next.map(String.init)).response(to: request)
    }
}
