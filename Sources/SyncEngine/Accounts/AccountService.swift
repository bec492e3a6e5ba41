package import SyncProtocol
package import SyncSchema

/// Users, their tokens and their memberships.
package struct AccountService<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry
    private let clock: WallClock
    private let newID: NewID

    package init(store: Store, registry: Registry, clock: WallClock, newID: NewID = .uuid) {
        self.store = store
        self.registry = registry
        self.clock = clock
        self.newID = newID
    }

    /// A new account without a password: tokens only. Throws `not_unique` for a name that is taken.
    package func addUser(_ username: String, displayName: String? = nil, isSuperuser: Bool = false) async throws -> User
    {
        guard AccountNaming.isValid(username) else {
            throw Problem(.badFormat, "A user name has 1 to 150 letters, digits and @ . + - _ in it.")
        }
        let now = clock.now()
        return try await store.write { transaction in
            guard try transaction.user(named: username) == nil else {
                throw Problem(.notUnique, "There is a user \(username) already.")
            }
            return try transaction.createUser(
                username: username, displayName: displayName ?? username, isSuperuser: isSuperuser, at: now)
        }
    }

    /// Throws `not_found`.
    package func user(named username: String) async throws -> User {
        guard let user = try await store.read({ try $0.user(named: username) }) else {
            throw Problem(.notFound, "There is no user \(username). Add one with: tidemark user add \(username)")
        }
        return user
    }

    package func users() async throws -> [User] { try await store.read { try $0.users() } }

    /// The user can't authenticate any more; rows and memberships stay.
    package func disableUser(_ username: String) async throws {
        let user = try await user(named: username)
        try await store.write { try $0.disableUser(id: user.id) }
    }

    /// A new personal access token. Its text, with 256 random bits, is returned this once; the store keeps its SHA-256.
    package func createToken(
        for username: String, name: String, isReadOnly: Bool = false, validFor: Duration? = nil
    ) async throws -> String {
        let user = try await user(named: username)
        let now = clock.now()
        let secret = AccessToken.random()
        let token = StoredToken(
            userID: user.id, isReadOnly: isReadOnly, expiresAt: validFor.map { now.advanced(by: $0) })
        try await store.write { try $0.createToken(token, hash: secret.hash, name: name, at: now) }
        return secret.text
    }

    /// Who a token speaks for; nil when it is unknown or expired, or the user disabled.
    package func authenticate(token text: String) async throws -> Caller? {
        guard let secret = AccessToken(text) else { return nil }
        let now = clock.now()
        return try await store.read { transaction in
            guard let token = try transaction.token(hash: secret.hash), token.expiresAt.map({ $0 > now }) ?? true,
                let user = try transaction.user(id: token.userID), !user.isDisabled
            else { return nil }
            return Caller(
                userID: user.id, username: user.username, isSuperuser: user.isSuperuser, isReadOnly: token.isReadOnly)
        }
    }

    /// Makes the user a member, or gives a member another role; one commit of the project, none where nothing changes.
    ///
    /// Throws `not_found` for an unknown project or user, `project_deleted`, and `last_owner`.
    package func addMember(_ username: String, to project: String, as role: Role) async throws {
        let user = try await user(named: username)
        let now = clock.now()
        try await store.write { transaction in
            let server = Caller(userID: user.id, username: username, isSuperuser: true)
            _ = try ProjectAccess(server, project: project, in: transaction)
            let draft = Draft(transaction, registry, project: project, author: user.id, now: now)
            try Membership(draft: draft, newID: newID).set(role, of: user.id)
            _ = try draft.commit()
        }
    }
}

enum AccountNaming {
    static func isValid(_ name: String) -> Bool {
        (1...150).contains(name.unicodeScalars.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "@.+-_".unicodeScalars.contains($0)
            }
    }
}
