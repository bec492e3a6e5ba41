import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The edits that all users lost.
extension Endpoint {
    static func listLostEdits(_ registry: Registry) -> Endpoint {
        let note = Schema.object(
            [
                "id": Schema.text, "at": Schema.instant, "project_id": Schema.nullableText,
                "user_id": Schema.integer.described("The author."), "username": Schema.nullableText,
                "collection": Schema.text, "row_id": Schema.text,
                "field": Schema.nullableText.described("Null for a whole row."),
                "code": Schema.text.described("Why the edit was lost."), "client_batch_id": Schema.nullableText,
            ], title: "LostEditNote")
        return Endpoint(
            admin: "rejected", registry, method: .get, id: "list_lost_edits",
            summary: "List the edits that all users lost.",
            details: """
                For superusers, newest first. Whose edits, where and why, but not the values: only their author reads \
                those, with `GET /rejected/`.
                """,
            parameters: Parameter.keyset + [
                .query("user", ["type": "integer", "minimum": 1], summary: "Only edits of this user."),
                .query("project", Schema.text, summary: "Only edits in this project."),
            ], isList: true, answer: .ok("One page of the list.", Schema.page(of: note, title: "LostEditNotePage")))
    }
}

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
