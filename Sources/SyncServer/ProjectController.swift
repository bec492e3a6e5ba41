import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol

/// `GET` and `POST /projects/`.
struct ProjectController<Store: SyncStore>: Sendable {
    let service: ProjectService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let limit = try query.limit(default: 100, maximum: 500)
        let rows = try await service.list(for: context.caller, after: query.text("after") ?? "", limit: limit + 1)
        let next = rows.count > limit ? rows[limit - 1]["id"] ?? .null : .null
        return Reply(["results": .array(Array(rows.prefix(limit))), "next": next]).response(to: request)
    }

    func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard let fields = try await JSONBody.read(request).object else {
            throw Problem(.invalidBody, "The body must be a JSON object with the project's fields.")
        }
        let row = try await service.create(fields, by: context.caller)
        var reply = Reply(status: .created, row)
        reply.headers[.location] = row["id"]?.string.map { "/api/v1/projects/\($0)/" }
        return reply.response(to: request)
    }
}
