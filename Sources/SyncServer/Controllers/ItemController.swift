import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The rows of one collection: `/projects/{project}/{collection}/` and `/{collection}/{id}/`.
struct ItemController<Store: SyncStore>: Sendable {
    let collection: Collection
    let service: ItemService<Store>

    private func id(_ context: CallerContext) throws -> String {
        try context.parameters.require(collection.scope == .project ? "project" : "id")
    }

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let project = try context.parameters.require("project")
        let (list, limit) = (try query.listQuery(of: collection), try query.limit(default: 100, maximum: 500))
        let page =
            list.isPlain
            ? try await service.list(
                collection, of: project, after: try query.creationPosition(), limit: limit, for: context.caller)
            : try await service.list(
                list, of: project, after: try query.place(in: list), limit: limit, for: context.caller)
        return Reply(page).response(to: request)
    }

    func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.create(
            try await JSONBody.row(of: request, in: collection), in: collection,
            of: try context.parameters.require("project"),
            key: try ItemHeaders.idempotencyKey(request), by: context.caller)
        return Reply(created: item, in: collection).response(to: request)
    }

    func read(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.read(
            try id(context), in: collection, for: context.caller)
        if request.knows(item.entityTag) {
            return Response(status: .notModified, headers: [.eTag: item.entityTag])
        }
        return Reply(item).response(to: request)
    }

    func update(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.update(
            try id(context), in: collection, try await JSONBody.row(of: request, in: collection),
            if: try ItemHeaders.precondition(request), key: try ItemHeaders.idempotencyKey(request),
            by: context.caller)
        return Reply(item).response(to: request)
    }

    func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try self.id(context)
        let precondition = try ItemHeaders.precondition(request)
        guard try Query(request).flag("dry_run") else {
            try await service.delete(id, in: collection, if: precondition, by: context.caller)
            return Response(status: .noContent)
        }
        try request.requireAcceptance(ofAny: ["application/json"])
        let deletion = try await service.deletion(of: id, in: collection, if: precondition, by: context.caller)
        return Reply(deletion.json).response(to: request)
    }
}

extension Reply {
    /// A page of rows. `next` is null on the last page.
    init(_ page: ItemPage) {
        self.init(results: page.rows, next: page.next)
    }

    /// A row, with its `ETag`.
    init(_ item: Item, status: HTTPResponse.Status = .ok) {
        self.init(status: status, item.json)
        headers[.eTag] = item.entityTag
        if item.isReplay { headers[.idempotentReplayed] = "true" }
    }

    /// 201 with the new row, and its path in `Location`.
    init(created item: Item, in collection: Collection) {
        self.init(item, status: .created)
        headers[.location] = "/api/v1/\(collection.name)/\(item.id)/"
    }
}
