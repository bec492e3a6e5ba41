import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncStore

/// `/auth/tokens/`: the caller's personal access tokens.
struct TokenController<Store: SyncStore>: Sendable {
    let service: TokenService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (limit, after) = try Query(request).idPage()
        let tokens = try await service.list(for: context.caller, after: after, limit: limit + 1)
        return Reply(page: tokens, limit: limit).response(to: request)
    }

    func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let wanted = try TokenRequest(try await JSONBody.read(request))
        let token = try await service.create(wanted, by: context.caller)
        return Reply(status: .created, token).response(to: request)
    }

    func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard let id = Int64(try context.parameters.require("id")) else {
            throw Problem(.notFound, "You have no token with this id.")
        }
        try await service.delete(id, by: context.caller)
        return .noContentUnstored
    }
}
