import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore

/// `/auth/`: sessions, passwords, and the caller's own account.
struct AuthController<Store: SyncStore>: Sendable {
    let sessions: SessionService<Store>
    let directory: UserDirectory<Store>
    let address: ClientAddress

    func logIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await JSONBody.read(request)
        let pair = try await sessions.logIn(
            try text("username", body), password: try text("password", body), from: address.text(request, context))
        return Reply(pair.json).response(to: request)
    }

    func refresh(_ request: Request, _ context: ServerContext) async throws -> Response {
        let token = try text("refresh", try await JSONBody.read(request))
        let pair = try await sessions.refresh(token, from: address.text(request, context))
        return Reply(pair.json).response(to: request)
    }

    func logOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await sessions.logOut(try text("refresh", try await JSONBody.read(request)))
        return .noContentUnstored
    }

    func changePassword(_ request: Request, _ context: CallerContext) async throws -> Response {
        let body = try await JSONBody.read(request)
        let pair = try await sessions.changePassword(
            of: context.caller, from: try text("current_password", body), to: try text("new_password", body),
            address: address.text(request, context.channel.remoteAddress))
        return Reply(pair.json).response(to: request)
    }

    func me(_ request: Request, _ context: CallerContext) async throws -> Response {
        Reply(try await directory.account(of: context.caller)).response(to: request)
    }

    private func text(_ name: String, _ body: JSON) throws -> String {
        guard let text = body[name]?.string else {
            throw Problem(.invalidBody, "The body must be a JSON object in which \(name) is a string.")
        }
        return text
    }
}
