import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `/projects/{project}/rejected/`: the caller's lost edits.
struct InboxController<Store: SyncStore>: Sendable {
    let service: InboxService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let page = try await service.list(
            of: try context.parameters.require("project"), after: try after(query),
            limit: try query.limit(default: 100, maximum: 500), for: context.caller)
        let next = page.next.map { JSON.string(InboxSelection.entry($0).text) } ?? .null
        return Reply(["results": .array(page.results), "next": next]).response(to: request)
    }

    func dismiss(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard let selection = InboxSelection(try context.parameters.require("entry")) else {
            throw Problem(.notFound, "There is no such entry in your inbox.")
        }
        try await service.dismiss(selection, of: try context.parameters.require("project"), by: context.caller)
        return Response(status: .noContent)
    }

    private func after(_ query: Query) throws -> Int64 {
        guard let text = query.text("after") else { return 0 }
        guard case .entry(let id) = InboxSelection(text) else {
            throw Problem(.invalidParameter, "after must be the next of the previous page.")
        }
        return id
    }
}
