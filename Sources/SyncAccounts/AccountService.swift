import SyncProtocol
package import SyncStore

/// Manages users and their credentials, for the operator and for superusers. Each change is in the audit list, in the
/// same transaction.
package struct AccountService<Store: SyncStore>: Sendable {
    let store: Store
    let clock: WallClock
    private let passwords: Passwords
    private let actor: Actor

    package init(
        store: Store, clock: WallClock, passwords: Passwords = Passwords(), actor: Actor = .thisProcess
    ) {
        self.store = store
        self.clock = clock
        self.passwords = passwords
        self.actor = actor
    }

    /// The same service, for somebody else.
    package func acting(as actor: Actor) -> AccountService {
        AccountService(store: store, clock: clock, passwords: passwords, actor: actor)
    }

    /// An entry of the audit list about an account.
    func entry(_ action: AuditAction, of user: User, _ details: [String: JSON] = [:]) -> AuditEntry {
        AuditEntry(action, by: actor, subject: user.id, details: details, at: clock.now())
    }

    /// Creates an account. Without a password, it can log in only by tokens. Throws `not_unique` for a name that is
    /// taken or too similar to one that is, and `bad_format` for a name or password that breaks the rules.
    package func addUser(
        _ username: String, displayName: String? = nil, isSuperuser: Bool = false, password: String? = nil
    ) async throws -> User {
        let displayName = try AccountNaming.displayName(displayName ?? Username.normal(username).rawValue)
        let now = clock.now()
        var hash: String?
        if let password { hash = try await passwords.hash(password) }
        return try await store.write(.accounts) { [hash] transaction in
            let user = try transaction.createUser(
                username: try AccountNaming.newName(username, in: transaction), displayName: displayName,
                isSuperuser: isSuperuser, at: now)
            if let hash { try transaction.setPasswordHash(hash, user: user.id) }
            try transaction.audit(
                entry(.userAdded, of: user, ["superuser": .bool(isSuperuser), "password": .bool(hash != nil)]))
            return user
        }
    }

    /// Throws `not_found`.
    package func user(named username: String) async throws -> User {
        try await store.read(.accounts) { try $0.requireUser(named: username) }
    }

    package func users() async throws -> [User] { try await store.read(.accounts) { try $0.users() } }

    /// Whether the account's password is this one; nil if it has none. Throws `not_found`, `busy`.
    package func accepts(_ password: String, of username: String) async throws -> Bool? {
        let stored = try await store.read(.accounts) { transaction in
            try transaction.passwordHash(of: try transaction.requireUser(named: username).id)
        }
        guard let stored else { return nil }
        return try await passwords.matches(password, stored)
    }

    /// Sets the account's password and ends its sessions. With `revokesTokens`, it also revokes the personal access
    /// tokens. Returns what was ended. Throws `not_found`, `bad_format`.
    @discardableResult
    package func setPassword(
        _ password: String, of username: String, revokesTokens: Bool = false
    ) async throws -> Credentials {
        _ = try await user(named: username)
        let hash = try await passwords.hash(password)
        return try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            try transaction.setPasswordHash(hash, user: user.id)
            let ended = try transaction.endCredentials(of: user, tokens: revokesTokens)
            try transaction.audit(entry(.passwordSet, of: user, ended.counts))
            return ended
        }
    }

    /// Disables a user: no credential works any more, and sessions end for good. Rows and memberships stay. Personal
    /// access tokens stay too, unless `revokesTokens` is true. Returns what was ended. Throws `not_found`.
    @discardableResult
    package func disableUser(_ username: String, revokesTokens: Bool = false) async throws -> Credentials {
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            try transaction.setDisabled(true, user: user.id)
            let ended = try transaction.endCredentials(of: user, tokens: revokesTokens)
            try transaction.audit(entry(.userDisabled, of: user, ended.counts))
            return ended
        }
    }

    /// Undoes `disableUser`, except for what was ended. Throws `not_found`.
    package func enableUser(_ username: String) async throws {
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            try transaction.setDisabled(false, user: user.id)
            try transaction.audit(entry(.userEnabled, of: user))
        }
    }

    /// Links an outside identity to the account, and unlinks it from
    /// any other account. Throws `not_found`, `bad_format`.
    package func link(_ username: String, issuer: String, subject: String) async throws {
        guard Subject.isValid(subject), !issuer.isEmpty else {
            throw Problem(
                .badFormat, "An identity needs an issuer and a subject of 1 to 255 bytes: the token's iss and sub.")
        }
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            try transaction.link(issuer: ExactText(issuer), subject: ExactText(subject), to: user.id)
            try transaction.audit(
                entry(.identityLinked, of: user, ["issuer": .string(issuer), "subject": .string(subject)]))
        }
    }
}
