import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The routes that only projects have: `/projects/` lists and creates them, and they can be archived.
struct ProjectController<Store: SyncStore>: Sendable {
    let collection: Collection
    let service: ProjectService<Store>
    let items: ItemService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (list, limit) = (try query.listQuery(of: collection), try query.limit(default: 100, maximum: 500))
        let page =
            list.isPlain
            ? try await service.list(for: context.caller, after: query.text("after") ?? "", limit: limit)
            : try await service.list(list, after: try query.place(in: list), limit: limit, for: context.caller)
        return Reply(page).response(to: request)
    }

    func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.create(
            try await JSONBody.row(of: request, in: collection), key: try ItemHeaders.idempotencyKey(request),
            by: context.caller)
        return Reply(created: item, in: collection).response(to: request)
    }

    func archive(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await setArchived(true, request, context)
    }

    func unarchive(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await setArchived(false, request, context)
    }

    private func setArchived(
        _ isArchived: Bool, _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        let id = try context.parameters.require("project")
        return Reply(try await items.archive(isArchived, project: id, by: context.caller)).response(to: request)
    }
}
