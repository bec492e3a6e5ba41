import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore

/// Sessions, personal access tokens, users.
extension Endpoint {
    static let accountsTag = Tag(name: "accounts", summary: "Sessions, personal access tokens and users.")

    /// Every operation on accounts.
    static let accounts = [
        logIn, refresh, logOut, changePassword, me, listTokens, createToken, deleteToken, issueTicket, listUsers,
    ]

    static let logIn = Endpoint(
        method: .post, path: "/auth/token/", id: "log_in", tag: accountsTag, summary: "Log in with a password.",
        isOpen: true,
        body: Schema.object(["username": Schema.text, "password": Schema.text]), answers: [.ok("A session.", session)],
        ownCodes: [.invalidCredentials, .rateLimited, .busy])

    static let refresh = Endpoint(
        method: .post, path: "/auth/token/refresh/", id: "refresh", tag: accountsTag, summary: "Refresh a session.",
        details: "A refresh token can be used once. Using it a second time ends the session.", isOpen: true,
        body: Schema.object(["refresh": Schema.text]), answers: [.ok("The session's new tokens.", session)],
        ownCodes: [.invalidRefreshToken, .rateLimited, .busy])

    static let logOut = Endpoint(
        method: .post, path: "/auth/logout/", id: "log_out", tag: accountsTag, summary: "End a session.", isOpen: true,
        body: Schema.object(["refresh": Schema.text]), answers: [.noContent], ownCodes: [.busy])

    static let changePassword = Endpoint(
        method: .post, path: "/auth/password/", id: "change_password", tag: accountsTag,
        summary: "Change the caller's password.",
        details: """
            All sessions end, including the caller's, and the answer starts a new one. Personal access tokens stay \
            valid.
            """,
        body: Schema.object(["current_password": Schema.text, "new_password": Schema.text]),
        answers: [.ok("A new session.", session)],
        ownCodes: [.invalidCredentials, .badFormat, .forbidden, .readOnlyToken, .rateLimited])

    static let me = Endpoint(
        method: .get, path: "/auth/me/", id: "me", tag: accountsTag, summary: "Read the caller's account.",
        answers: [.ok("The caller's account.", user(["is_superuser": Schema.flag], title: "Caller"))])

    static let listTokens = Endpoint(
        method: .get, path: "/auth/tokens/", id: "auth_list_tokens", tag: accountsTag,
        summary: "List the caller's personal access tokens.", parameters: Parameter.keyset, isList: true,
        answers: [
            .ok("One page of the tokens, without their secrets.", Schema.page(of: token(), title: "PersonalTokenPage"))
        ]
    )

    static let createToken = Endpoint(
        method: .post, path: "/auth/tokens/", id: "auth_create_token", tag: accountsTag,
        summary: "Create a personal access token.",
        body: Schema.object(
            ["name": Schema.text, "read_only": Schema.flag, "expires_at": Schema.nullableInstant],
            optional: ["read_only", "expires_at"]),
        answers: [
            Answer(
                status: .created, summary: "The token. Its secret is in `token`, only this once.",
                schema: token(["token": Schema.text], title: "NewPersonalToken"))
        ],
        ownCodes: [.readOnlyToken, .forbidden])

    static let deleteToken = Endpoint(
        method: .delete, path: "/auth/tokens/{id}/", id: "auth_delete_token", tag: accountsTag,
        summary: "Revoke a personal access token.",
        parameters: [Parameter(name: "id", place: .path, schema: Schema.text, summary: "The token's id.")],
        answers: [.noContent], ownCodes: [.readOnlyToken, .notFound])

    static let listUsers = Endpoint(
        method: .get, path: "/users/", id: "find_users", tag: accountsTag,
        summary: "List the users that the caller may know.",
        details: "Users who share a project with the caller. An administrator of a project can find anybody by name.",
        parameters: Parameter.keyset + [
            .query("project", Schema.id, summary: "Only members of this project."),
            .query("username", Schema.text, summary: "Only the user with exactly this name."),
        ], isList: true,
        answers: [.ok("One page of the list.", Schema.page(of: user(), title: "UserPage"))], ownCodes: access)
}

extension Endpoint {
    private static let session = Schema.object(["access": Schema.text, "refresh": Schema.text], title: "Session")

    static func user(_ more: [String: JSON] = [:], title: String = "User") -> JSON {
        Schema.object(AnswerShape.user.schemas.merging(more) { $1 }, title: title)
    }

    private static func token(_ more: [String: JSON] = [:], title: String = "PersonalToken") -> JSON {
        let members = [
            "id": Schema.integer, "name": Schema.text, "read_only": Schema.flag,
            "created_at": Schema.instant, "expires_at": Schema.nullableInstant,
        ]
        return Schema.object(members.merging(more) { $1 }, title: title)
    }
}

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
