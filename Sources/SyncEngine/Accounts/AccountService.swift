import SyncProtocol
package import SyncSchema

/// Users, their credentials and their memberships, as the operator manages them.
package struct AccountService<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let clock: WallClock
    let newID: NewID
    private let passwords: Passwords

    package init(
        store: Store, registry: Registry, clock: WallClock, newID: NewID = .uuid, passwords: Passwords = Passwords()
    ) {
        self.store = store
        self.registry = registry
        self.clock = clock
        self.newID = newID
        self.passwords = passwords
    }

    /// A new account; without a password it logs in by tokens only. Throws `not_unique` for a name that is taken or too
    /// much like one that is, and `bad_format` for a name or password that breaks the rules.
    package func addUser(
        _ username: String, displayName: String? = nil, isSuperuser: Bool = false, password: String? = nil
    ) async throws -> User {
        let displayName = try AccountNaming.displayName(displayName ?? AccountNaming.normal(username).rawValue)
        let now = clock.now()
        var hash: String?
        if let password { hash = try await passwords.hash(password) }
        return try await store.write { [hash] transaction in
            let user = try transaction.createUser(
                username: try AccountNaming.newName(username, in: transaction), displayName: displayName,
                isSuperuser: isSuperuser, at: now)
            if let hash { try transaction.setPasswordHash(hash, user: user.id) }
            return user
        }
    }

    /// Throws `not_found`.
    package func user(named username: String) async throws -> User {
        try await store.read { try user(named: username, $0) }
    }

    func user(named username: String, _ transaction: any ReadTransaction) throws -> User {
        guard let user = try transaction.user(typed: username) else {
            throw Problem(.notFound, "There is no user \(username). Add one with: tidemark user add \(username)")
        }
        return user
    }

    package func users() async throws -> [User] { try await store.read { try $0.users() } }

    /// Gives the account another password, ends its sessions, and, where `revokesTokens` says so, its personal access
    /// tokens. Returns what was ended. Throws `not_found`, `bad_format`.
    @discardableResult
    package func setPassword(
        _ password: String, of username: String, revokesTokens: Bool = false
    ) async throws -> Credentials {
        _ = try await user(named: username)
        let hash = try await passwords.hash(password)
        return try await store.write { transaction in
            let user = try user(named: username, transaction)
            try transaction.setPasswordHash(hash, user: user.id)
            return try end(of: user, tokens: revokesTokens, transaction)
        }
    }

    /// The user can't authenticate any more, by whatever credential, and sessions end for good; rows and memberships
    /// stay, and so do personal access tokens, unless `revokesTokens` says otherwise. Returns what was ended. Throws
    /// `not_found`.
    @discardableResult
    package func disableUser(_ username: String, revokesTokens: Bool = false) async throws -> Credentials {
        try await store.write { transaction in
            let user = try user(named: username, transaction)
            try transaction.setDisabled(true, user: user.id)
            return try end(of: user, tokens: revokesTokens, transaction)
        }
    }

    /// Undoes `disableUser`, but for what was ended. Throws `not_found`.
    package func enableUser(_ username: String) async throws {
        try await store.write { transaction in
            try transaction.setDisabled(false, user: try user(named: username, transaction).id)
        }
    }

    /// Lets an outside identity stand for the account, and for no other one any more. Throws `not_found`, `bad_format`.
    package func link(_ username: String, issuer: String, subject: String) async throws {
        guard Subject.isValid(subject), !issuer.isEmpty else {
            throw Problem(
                .badFormat, "An identity has an issuer, and a subject of 1 to 255 bytes: the token's iss and sub.")
        }
        try await store.write { transaction in
            let user = try user(named: username, transaction)
            try transaction.link(issuer: ExactText(issuer), subject: ExactText(subject), to: user.id)
        }
    }
}
