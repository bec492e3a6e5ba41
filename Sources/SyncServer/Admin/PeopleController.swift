import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `/admin/users/`: what superusers do with the accounts of others.
struct PeopleController<Store: SyncStore>: Sendable {
    let service: PeopleService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, after) = try query.idPage()
        let page = try await service.list(
            matching: query.text("q"), after: after, limit: limit, for: context.caller)
        return Reply(results: page.results, next: page.next.map(String.init)).response(to: request)
    }

    func add(_ request: Request, _ context: CallerContext) async throws -> Response {
        let account = try AccountRequest(try await JSONBody.fields(of: request))
        return Reply(status: .created, try await service.add(account, by: context.caller)).response(to: request)
    }

    func read(_ request: Request, _ context: CallerContext) async throws -> Response {
        Reply(try await service.read(try id(context), for: context.caller)).response(to: request)
    }

    func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        let change = try AccountChange(try await JSONBody.fields(of: request))
        return Reply(try await service.change(try id(context), change, by: context.caller)).response(to: request)
    }

    func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await service.remove(try id(context), by: context.caller)
        return .noContentUnstored
    }

    func setPassword(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await JSONBody.fields(of: request)
        guard let password = body["password"]?.string, let revokes = (body["revoke_tokens"] ?? false).bool else {
            throw Problem(.invalidBody, "password must be a string, and revoke_tokens true or false.")
        }
        let account = try await service.setPassword(
            password, of: try id(context), revokesTokens: revokes, by: context.caller)
        return Reply(account).response(to: request)
    }

    func revokeAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await service.revoke(nil, of: try id(context), by: context.caller)
        return .noContentUnstored
    }

    func revoke(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await service.revoke(
            try context.parameters.require("credential"), of: try id(context), by: context.caller)
        return .noContentUnstored
    }

    private func id(_ context: CallerContext) throws -> Int64 {
        guard let id = Int64(try context.parameters.require("user")) else {
            throw Problem(.notFound, "There is no account with this id.")
        }
        return id
    }
}
