import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// What superusers do with the accounts of others.
extension Endpoint {
    static func people(_ registry: Registry) -> [Endpoint] {
        [
            listAccounts(registry), addAccount(registry), readAccount(registry), changeAccount(registry),
            removeAccount(registry), setPassword(registry), revokeAll(registry), revoke(registry),
        ]
    }

    private static let fresh = "For superusers, in a session whose password was given in the last 10 minutes."
    private static let changing: [ErrorCode] = [.readOnlyToken, .reauthenticationRequired, .notFound]
    private static let user = Parameter(
        name: "user", place: .path, schema: ["type": "integer", "minimum": 1], summary: "The account's id.")

    static func listAccounts(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users", registry, method: .get, id: "list_accounts", summary: "List all accounts.",
            details: "For superusers. A page can have fewer accounts than `limit` although `next` leads to another.",
            parameters: Parameter.keyset + [
                .query("q", Schema.text, summary: "Only accounts whose name or display name contains this.")
            ], isList: true,
            answer: .ok(
                "One page of the accounts, by id.", Schema.page(of: account([:], "Account"), title: "AccountPage"))
        )
    }

    static func addAccount(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users", registry, method: .post, id: "add_account", summary: "Add an account.",
            details: fresh + " Without a password, the account can only use tokens.",
            body: Schema.object(
                [
                    "username": Schema.text, "display_name": Schema.nullableText, "is_superuser": Schema.flag,
                    "password": Schema.nullableText,
                ], optional: ["display_name", "is_superuser", "password"]),
            answer: Answer(status: .created, summary: "The account.", schema: full),
            ownCodes: [.readOnlyToken, .reauthenticationRequired, .badFormat, .notUnique, .busy])
    }

    static func readAccount(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users/{user}", registry, method: .get, id: "read_account", summary: "Read an account.",
            details: "For superusers. With its sessions, personal access tokens and memberships.", parameters: [user],
            answer: .ok("The account.", full), ownCodes: [.notFound])
    }

    static func changeAccount(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users/{user}", registry, method: .patch, id: "change_account",
            summary: "Rename, disable or enable an account.",
            details: fresh + """
                 The body has one of the members. Disabling ends the account's sessions and refuses its tokens until \
                it is enabled again.
                """, parameters: [user],
            body: Schema.object(
                ["display_name": Schema.text, "is_disabled": Schema.flag], optional: ["display_name", "is_disabled"]),
            answer: .ok("The account.", full), ownCodes: changing + [.badFormat])
    }

    static func removeAccount(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users/{user}", registry, method: .delete, id: "remove_account",
            summary: "Remove a user from all projects.",
            details: fresh + """
                 Ends all memberships, sessions and tokens of the user. Rows stay, so the account stays too, disabled \
                and without a password.
                """, parameters: [user], answer: .noContent, ownCodes: changing + [.lastOwner])
    }

    static func setPassword(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users/{user}/password", registry, method: .put, id: "set_password",
            summary: "Set somebody's password.", details: fresh + " All sessions of the account end.",
            parameters: [user],
            body: Schema.object(
                ["password": Schema.text, "revoke_tokens": Schema.flag], optional: ["revoke_tokens"]),
            answer: .ok("The account.", full), ownCodes: changing + [.badFormat, .busy])
    }

    static func revokeAll(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users/{user}/credentials", registry, method: .delete, id: "revoke_credentials",
            summary: "Revoke all sessions and tokens of an account.", details: fresh, parameters: [user],
            answer: .noContent, ownCodes: changing)
    }

    static func revoke(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "users/{user}/credentials/{credential}", registry, method: .delete, id: "revoke_credential",
            summary: "Revoke a session or a token of an account.", details: fresh,
            parameters: [
                user,
                Parameter(
                    name: "credential", place: .path, schema: Schema.text, summary: "The session's or token's id."),
            ], answer: .noContent, ownCodes: changing)
    }

    private static var full: JSON {
        let session = Schema.object(
            ["id": Schema.text, "created_at": Schema.instant, "expires_at": Schema.instant], title: "AccountSession")
        let token = Schema.object(
            [
                "id": Schema.integer, "name": Schema.text, "read_only": Schema.flag, "created_at": Schema.instant,
                "expires_at": Schema.nullableInstant,
            ], title: "AccountToken")
        let membership = Schema.object(
            ["project_id": Schema.text, "project_name": Schema.nullableText, "role": Schema.integer],
            title: "AccountMembership")
        return account(
            [
                "sessions": Schema.list(session), "tokens": Schema.list(token),
                "memberships": Schema.list(membership),
            ], "FullAccount")
    }

    private static func account(_ more: [String: JSON], _ title: String) -> JSON {
        let members = [
            "id": Schema.integer, "username": Schema.text, "display_name": Schema.text, "is_superuser": Schema.flag,
            "is_disabled": Schema.flag, "has_password": Schema.flag,
            "last_seen": Schema.nullableInstant.described("When a device of the user last synced."),
        ]
        return Schema.object(members.merging(more) { $1 }, title: title)
    }
}

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
