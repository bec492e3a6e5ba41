import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `/projects/{project}/rejected/`, and `/rejected/` for all projects: the caller's lost edits.
struct InboxController<Store: SyncStore>: Sendable {
    let service: InboxService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let project = try context.parameters.require("project")
        return try await reply(request) {
            try await service.list(
                of: project, after: try after(query), limit: try limit(query), for: context.caller)
        }
    }

    func listAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        return try await reply(request) {
            try await service.listAll(after: try after(query), limit: try limit(query), for: context.caller)
        }
    }

    private func limit(_ query: Query) throws -> Int { try query.limit(default: 100, maximum: 500) }

    private func reply(
        _ request: Request, _ list: () async throws -> (results: [JSON], next: Int64?)
    ) async throws -> Response {
        let page = try await list()
        return Reply(results: page.results, next: page.next.map { InboxSelection.entry($0).text })
            .response(to: request)
    }

    func dismiss(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await service.dismiss(
            try selection(context), of: try context.parameters.require("project"), by: context.caller)
        return Response(status: .noContent)
    }

    func dismissAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await service.dismissAll(try selection(context), by: context.caller)
        return Response(status: .noContent)
    }

    private func selection(_ context: CallerContext) throws -> InboxSelection {
        guard let selection = InboxSelection(try context.parameters.require("entry")) else {
            throw Problem(.notFound, "There is no such entry in your inbox.")
        }
        return selection
    }

    private func after(_ query: Query) throws -> Int64 {
        guard let text = query.text("after") else { return 0 }
        guard case .entry(let id) = InboxSelection(text) else {
            throw Problem(.invalidParameter, "after must be the next of the previous page.")
        }
        return id
    }
}
