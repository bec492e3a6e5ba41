import HTTPTypes
import SyncAccounts
import SyncProtocol
import SyncStore

/// Sessions, personal access tokens, users.
extension Endpoint {
    static let accountsTag = Tag(name: "accounts", summary: "Who is asking.")

    /// Every operation on accounts.
    static let accounts = [logIn, refresh, logOut, changePassword, me, listTokens, createToken, deleteToken, listUsers]

    static let logIn = Endpoint(
        method: .post, path: "/auth/token/", id: "log_in", tag: accountsTag, summary: "Log in with a password.",
        isOpen: true,
        body: Schema.object(["username": Schema.text, "password": Schema.text]), answers: [.ok("A session.", session)],
        ownCodes: [.invalidCredentials, .rateLimited, .busy])

    static let refresh = Endpoint(
        method: .post, path: "/auth/token/refresh/", id: "refresh", tag: accountsTag, summary: "Go on with a session.",
        details: "The refresh token is good for one use; using one a second time ends the session.", isOpen: true,
        body: Schema.object(["refresh": Schema.text]), answers: [.ok("The session's new tokens.", session)],
        ownCodes: [.invalidRefreshToken, .rateLimited, .busy])

    static let logOut = Endpoint(
        method: .post, path: "/auth/logout/", id: "log_out", tag: accountsTag, summary: "End a session.", isOpen: true,
        body: Schema.object(["refresh": Schema.text]), answers: [.noContent], ownCodes: [.busy])

    static let changePassword = Endpoint(
        method: .post, path: "/auth/password/", id: "change_password", tag: accountsTag,
        summary: "Give the caller's account another password.",
        details: "All sessions end, the calling one too, and the answer starts a new one. Personal access tokens stay.",
        body: Schema.object(["current_password": Schema.text, "new_password": Schema.text]),
        answers: [.ok("A new session.", session)],
        ownCodes: [.invalidCredentials, .badFormat, .forbidden, .readOnlyToken, .rateLimited])

    static let me = Endpoint(
        method: .get, path: "/auth/me/", id: "me", tag: accountsTag, summary: "The caller.",
        answers: [.ok("The caller's account.", user(["is_superuser": Schema.flag], title: "Caller"))])

    static let listTokens = Endpoint(
        method: .get, path: "/auth/tokens/", id: "auth_list_tokens", tag: accountsTag,
        summary: "The caller's personal access tokens.", parameters: Parameter.keyset, isList: true,
        answers: [.ok("One page of them, without their secrets.", Schema.page(of: token(), title: "PersonalTokenPage"))]
    )

    static let createToken = Endpoint(
        method: .post, path: "/auth/tokens/", id: "auth_create_token", tag: accountsTag,
        summary: "A new personal access token.",
        body: Schema.object(
            ["name": Schema.text, "read_only": Schema.flag, "expires_at": Schema.nullableInstant],
            optional: ["read_only", "expires_at"]),
        answers: [
            Answer(
                status: .created, summary: "The token; its secret is in `token`, this once.",
                schema: token(["token": Schema.text], title: "NewPersonalToken"))
        ],
        ownCodes: [.readOnlyToken, .forbidden])

    static let deleteToken = Endpoint(
        method: .delete, path: "/auth/tokens/{id}/", id: "auth_delete_token", tag: accountsTag,
        summary: "End a personal access token.",
        parameters: [Parameter(name: "id", place: .path, schema: Schema.text, summary: "The token's id.")],
        answers: [.noContent], ownCodes: [.readOnlyToken, .notFound])

    static let listUsers = Endpoint(
        method: .get, path: "/users/", id: "find_users", tag: accountsTag, summary: "Users whom the caller may know.",
        details: "Those who share a project with the caller. An administrator of a project finds anybody by name.",
        parameters: Parameter.keyset + [
            .query("project", Schema.id, "Members of that project only."),
            .query("username", Schema.text, "The one with exactly this name."),
        ], isList: true,
        answers: [.ok("One page of them.", Schema.page(of: user(), title: "UserPage"))], ownCodes: access)
}

extension Endpoint {
    private static let session = Schema.object(["access": Schema.text, "refresh": Schema.text], title: "Session")

    private static func user(_ more: [String: JSON] = [:], title: String = "User") -> JSON {
        let members = ["id": Schema.integer, "username": Schema.text, "display_name": Schema.text]
        return Schema.object(members.merging(more) { $1 }, title: title)
    }

    private static func token(_ more: [String: JSON] = [:], title: String = "PersonalToken") -> JSON {
        let members = [
            "id": Schema.integer, "name": Schema.text, "read_only": Schema.flag,
            "created_at": Schema.instant, "expires_at": Schema.nullableInstant,
        ]
        return Schema.object(members.merging(more) { $1 }, title: title)
    }
}
