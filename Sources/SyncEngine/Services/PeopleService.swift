package import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore

/// What superusers do with the accounts of others over HTTP. The operator does the same with commands.
///
/// Everything throws `forbidden` unless the caller is a superuser. Each change is one transaction, which also has its
/// entry of the audit list, and throws `read_only_token`, `reauthentication_required` and, for an id that no account
/// has, `not_found`.
package struct PeopleService<Store: SyncStore>: Sendable {
    /// The most accounts that one page of a search looks at.
    private static var mostLookedAt: Int { 5000 }

    private let store: Store
    private let accounts: AccountService<Store>
    private let members: MemberService<Store>
    private let ledger: DeviceLedger
    private let clock: WallClock

    package init(
        store: Store, accounts: AccountService<Store>, members: MemberService<Store>, ledger: DeviceLedger,
        clock: WallClock
    ) {
        self.store = store
        self.accounts = accounts
        self.members = members
        self.ledger = ledger
        self.clock = clock
    }

    // MARK: Reads

    /// Accounts by id, after the id `after`. With `text`, only those whose name or display name contains it, in upper
    /// or lower case. A page can have fewer than `limit` although others follow: `next` tells whether they do.
    package func list(
        matching text: String?, after: Int64, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: Int64?) {
        try caller.requireSuperuser("Listing accounts")
        let folded = text.map { Username.folded($0).rawValue }
        return try await store.read(.installation) { transaction in
            var (results, last, seen): ([JSON], Int64, Int) = ([], after, 0)
            while true {
                let page = try transaction.users(.everyone, after: last, limit: limit + 1)
                for user in page.prefix(limit) {
                    if results.count == limit || seen == Self.mostLookedAt { return (results, last) }
                    last = user.id
                    seen = seen + 1
                    if folded.map(user.matches) ?? true { results.append(try account(user, transaction)) }
                }
                if page.count <= limit { return (results, nil) }
            }
        }
    }

    /// The account with its sessions, tokens and memberships.
    package func read(_ id: Int64, for caller: Caller) async throws -> JSON {
        try caller.requireSuperuser("Reading an account")
        let user = try await self.user(id)
        let credentials = try await accounts.credentials(of: user.username.rawValue)
        let name = members.registry.projects.position("name")
        return try await store.read(.installation) { transaction in
            let memberships = try transaction.allProjects(of: id).map { row -> JSON in
                [
                    "project_id": .string(row.id), "project_name": name.map { row.values[$0] } ?? .null,
                    "role": .int(Int64(try transaction.access(project: row.id, user: id)?.role?.rawValue ?? 0)),
                ]
            }
            return try account(user, transaction)
                .setting("sessions", to: .array(credentials.sessions.map(\.json)))
                .setting("tokens", to: .array(credentials.tokens.map(\.json)))
                .setting("memberships", to: .array(memberships))
        }
    }

    private func account(_ user: User, _ transaction: any ReadTransaction) throws -> JSON {
        let devices = try transaction.devices(of: user.id, in: nil) + ledger.devices(of: user.id)
        let seen = devices.map(\.overall.lastSeen).max()
        return [
            "id": .int(user.id), "username": .string(user.username.rawValue),
            "display_name": .string(user.displayName), "is_superuser": .bool(user.isSuperuser),
            "is_disabled": .bool(user.isDisabled),
            "has_password": .bool(try transaction.passwordHash(of: user.id) != nil),
            "last_seen": seen.map { .string($0.text) } ?? .null,
        ]
    }

    private func user(_ id: Int64) async throws -> User {
        guard let user = try await store.read(.accounts, { try $0.user(id: id) }) else {
            throw Problem(.notFound, "There is no account with this id.")
        }
        return user
    }

    // MARK: Changes

    /// Adds an account. Throws what `AccountService.addUser` throws.
    package func add(_ request: AccountRequest, by caller: Caller) async throws -> JSON {
        try await require(caller)
        let user = try await accounts.acting(as: caller.actor).addUser(
            request.username, displayName: request.displayName, isSuperuser: request.isSuperuser,
            password: request.password)
        return try await read(user.id, for: caller)
    }

    /// Makes one change of an account. Throws `forbidden` if the caller would disable their own.
    package func change(_ id: Int64, _ change: AccountChange, by caller: Caller) async throws -> JSON {
        let name = try await name(of: id, for: caller)
        let accounts = accounts.acting(as: caller.actor)
        switch change {
        case .displayName(let text):
            try await members.acting(as: caller.actor).rename(name, displayName: text)
        case .isDisabled(true):
            try requireOther(id, than: caller, to: "disable your own account")
            try await accounts.disableUser(name)
        case .isDisabled(false): try await accounts.enableUser(name)
        }
        return try await read(id, for: caller)
    }

    /// Sets the password, ends the account's sessions and, if `revokesTokens`, revokes its tokens. Throws `bad_format`,
    /// and `forbidden` for the caller's own.
    package func setPassword(
        _ password: String, of id: Int64, revokesTokens: Bool, by caller: Caller
    ) async throws -> JSON {
        let name = try await name(of: id, for: caller)
        try requireOther(id, than: caller, to: "set your own password here: POST /auth/password/ changes it")
        try await accounts.acting(as: caller.actor).setPassword(password, of: name, revokesTokens: revokesTokens)
        return try await read(id, for: caller)
    }

    /// Revokes one token or session, or all of them for nil. Throws `not_found`.
    package func revoke(_ credential: String?, of id: Int64, by caller: Caller) async throws {
        let name = try await name(of: id, for: caller)
        let accounts = accounts.acting(as: caller.actor)
        if let credential {
            try await accounts.revoke(credential, of: name)
        } else {
            try await accounts.revokeAll(of: name)
        }
    }

    /// Ends all memberships of the user and disables the account, without a password and credentials. Throws
    /// `last_owner`, and `forbidden` for the caller's own account.
    package func remove(_ id: Int64, by caller: Caller) async throws {
        let name = try await name(of: id, for: caller)
        try requireOther(id, than: caller, to: "remove your own account")
        try await members.acting(as: caller.actor).removeUser(name)
    }

    private func requireOther(_ id: Int64, than caller: Caller, to action: String) throws {
        guard id != caller.userID else { throw Problem(.forbidden, "You can't \(action).") }
    }

    /// The name of the account, for a caller who may change it.
    private func name(of id: Int64, for caller: Caller) async throws -> String {
        try await require(caller)
        return try await user(id).username.rawValue
    }

    private func require(_ caller: Caller) async throws {
        try await caller.requireFreshSuperuser("Changing accounts", by: clock, in: store)
    }
}

extension User {
    fileprivate func matches(_ folded: String) -> Bool {
        Username.folded(username.rawValue).rawValue.contains(folded)
            || Username.folded(displayName).rawValue.contains(folded)
    }
}

extension StoredSession {
    fileprivate var json: JSON {
        ["id": .string(id), "created_at": .string(createdAt.text), "expires_at": .string(expiresAt.text)]
    }
}

/// A request for a new account.
package struct AccountRequest: Sendable, Equatable {
    let username: String
    let displayName: String?
    let isSuperuser: Bool
    let password: String?

    /// Throws `invalid_body`; the message names the member at fault.
    package init(_ body: [String: JSON]) throws {
        let known = ["username", "display_name", "is_superuser", "password"]
        if let unknown = body.keys.filter({ !known.contains($0) }).min() {
            throw Problem(
                .invalidBody, "An account has no member \"\(unknown)\", only \(known.joined(separator: ", ")).")
        }
        func text(_ name: String) throws -> String? {
            guard let value = body[name], !value.isNull else { return nil }
            guard let text = value.string else { throw Problem(.invalidBody, "\(name) must be a string.") }
            return text
        }
        guard let username = try text("username") else { throw Problem(.invalidBody, "username must be a string.") }
        guard let isSuperuser = (body["is_superuser"] ?? false).bool else {
            throw Problem(.invalidBody, "is_superuser must be true or false.")
        }
        self.username = username
        self.isSuperuser = isSuperuser
        displayName = try text("display_name")
        password = try text("password")
    }
}

/// A change of somebody's account: one at a time, so none can be half applied.
package enum AccountChange: Sendable, Equatable {
    case displayName(String)
    case isDisabled(Bool)

    /// Throws `invalid_body`.
    package init(_ body: [String: JSON]) throws {
        guard body.count == 1, let (name, value) = body.first else { throw AccountChange.refusal }
        switch (name, value) {
        case ("display_name", .string(let text)): self = .displayName(text)
        case ("is_disabled", .bool(let isDisabled)): self = .isDisabled(isDisabled)
        default: throw AccountChange.refusal
        }
    }

    private static let refusal = Problem(
        .invalidBody, "The body must have one member: display_name, a string, or is_disabled, true or false.")
}
