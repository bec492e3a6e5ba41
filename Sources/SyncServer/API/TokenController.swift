import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
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

extension Query {
    /// `user`: the id of a user; nil if absent. Throws `invalid_parameter`.
    func userID() throws -> Int64? {
        guard let text = text("user") else { return nil }
        guard let user = Int64(text), user > 0 else {
            throw Problem(.invalidParameter, "user must be the id of a user.")
        }
        return user
    }

    /// `limit` and `after` of a list that is ordered by integer ids. Throws `invalid_parameter`.
    func idPage() throws -> (limit: Int, after: Int64) {
        guard let after = Int64(text("after") ?? "0"), after >= 0 else {
            throw Problem(.invalidParameter, "after must be the next of the previous page.")
        }
        return (try limit(default: 100, maximum: 500), after)
    }

    /// The same for a list that begins with the greatest id. `before` is nil on the first page.
    func newestFirstPage() throws -> (limit: Int, before: Int64?) {
        let (limit, after) = try idPage()
        return (limit, after == 0 ? nil : after)
    }
}

extension Reply {
    /// A page of a list that is ordered by integer ids. `rows` has one row more than `limit` if there is another page.
    init(page rows: [JSON], limit: Int) {
        let last = rows.count > limit ? rows[limit - 1]["id"]?.int : nil
        self.init(results: rows.prefix(limit), next: last.map(String.init))
    }
}

/// `GET /users/`.
struct UserController<Store: SyncStore>: Sendable {
    let directory: UserDirectory<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, after) = try query.idPage()
        let question = UserDirectory<Store>.Question(
            project: query.text("project"), username: query.text("username"), after: after, limit: limit + 1)
        let users = try await directory.list(question, for: context.caller)
        return Reply(page: users, limit: limit).response(to: request)
    }
}
