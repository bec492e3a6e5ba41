package import SyncProtocol
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
        try await store.write(.accounts, priority: .vital) { transaction in
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

extension AccountService {
    /// Creates a personal access token. Returns its text, with 256 random bits, only this once: the store keeps only
    /// its SHA-256. Throws `not_found`.
    package func createToken(
        for username: String, name: String, isReadOnly: Bool = false, validFor: Duration? = nil
    ) async throws -> String {
        let now = clock.now()
        let secret = OpaqueToken.random(.personal)
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            let token = NewToken(
                userID: user.id, name: name, isReadOnly: isReadOnly, createdAt: now,
                expiresAt: validFor.map { now.advanced(by: $0) })
            let stored = try transaction.createToken(token, hash: secret.hash)
            try transaction.audit(entry(.tokenCreated, of: user, stored.details))
        }
        return secret.text
    }

    /// The caller that a personal access token speaks for; nil if the
    /// token is unknown or expired, or the user is disabled.
    package func authenticate(token text: String) async throws -> Caller? {
        guard let secret = OpaqueToken(text, .personal) else { return nil }
        return try await store.read(.accounts) { try $0.grant(of: secret) }?.valid(at: clock.now())?
            .caller
    }

    /// The user's tokens by id, including expired ones, and the sessions that
    /// have not expired, oldest first. Throws `not_found`.
    package func credentials(of username: String) async throws -> Credentials {
        let now = clock.now()
        return try await store.read(.accounts) { transaction in
            var all = try transaction.credentials(of: try transaction.requireUser(named: username))
            all.sessions.removeAll { $0.expiresAt <= now }
            return all
        }
    }

    /// Revokes one token or session. Every server on the store refuses it from now on. Throws `not_found`.
    package func revoke(_ id: String, of username: String) async throws {
        try await store.write(.accounts, priority: .vital) { transaction in
            let user = try transaction.requireUser(named: username)
            let all = try transaction.credentials(of: user)
            if let token = all.tokens.first(where: { String($0.id) == id }) {
                _ = try transaction.deleteToken(token.id, of: user.id)
                try transaction.audit(entry(.tokenRevoked, of: user, token.details))
            } else if let session = all.sessions.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
                try transaction.deleteSession(session.id)
                try transaction.audit(entry(.sessionRevoked, of: user, ["session": .string(session.id)]))
            } else {
                throw Problem(
                    .notFound,
                    "\(user.username) has no token or session \(id). "
                        + "To list them: tidemark token list --user \(user.username)")
            }
        }
    }

    /// Revokes all tokens and sessions of the user. Returns what was revoked. Throws `not_found`.
    @discardableResult
    package func revokeAll(of username: String) async throws -> Credentials {
        try await store.write(.accounts, priority: .vital) { transaction in
            let user = try transaction.requireUser(named: username)
            let ended = try transaction.endCredentials(of: user, tokens: true)
            try transaction.audit(entry(.credentialsRevoked, of: user, ended.counts))
            return ended
        }
    }
}

extension StoredToken {
    /// The token as the audit list tells it.
    var details: [String: JSON] {
        ["token": .int(id), "name": .string(content.name), "read_only": .bool(content.isReadOnly)]
    }
}

/// The rules for user names and display names.
package enum AccountNaming {
    /// A new user's name, in Unicode's normal form C. Throws `bad_format`, and `not_unique` if another user has this
    /// name, or one that differs only in upper and lower case or in how its letters are composed.
    static func newName(_ text: String, in transaction: any ReadTransaction) throws -> ExactText {
        let name = Username.normal(text)
        guard isValid(name.rawValue) else {
            throw Problem(.badFormat, "A user name has 1 to 150 characters. Letters, digits and @.+-_ are allowed.")
        }
        if let other = try transaction.user(folded: Username.folded(name.rawValue)) { throw taken(name, by: other) }
        return name
    }

    private static func taken(_ name: ExactText, by other: User) -> Problem {
        guard other.username == name else {
            return Problem(
                .notUnique, "The name \(name) is too similar to that of the user \(other.username). Choose another.")
        }
        let remedy = " The account is disabled; to take it back: tidemark user enable \(name)"
        return Problem(.notUnique, "There is already a user \(name)." + (other.isDisabled ? remedy : ""))
    }

    /// Whether a user name follows the rule: 1 to 150 characters, which are letters, digits or one of `@.+-_`.
    package static func isValid(_ name: String) -> Bool {
        (1...150).contains(name.unicodeScalars.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "@.+-_".unicodeScalars.contains($0)
            }
    }

    /// Returns the name unchanged. Throws `bad_format`.
    package static func displayName(_ name: String) throws -> String {
        guard (1...255).contains(name.unicodeScalars.count), !name.unicodeScalars.contains("\0"),
            !name.allSatisfy(\.isWhitespace)
        else {
            throw Problem(.badFormat, "A display name has 1 to 255 characters, not only spaces, and no NUL.")
        }
        return name
    }
}

extension ReadTransaction {
    /// The user that a typed name means: the one with exactly this name, or else with its normal form.
    package func user(typed name: String) throws -> User? {
        try user(named: ExactText(name)) ?? user(named: Username.normal(name))
    }

    /// The user who logs in by this name: the one that it means when typed, or else the only one whose name differs
    /// from it in upper and lower case alone. Phones begin with a capital.
    func user(loggingInAs name: String) throws -> User? {
        if let user = try user(typed: name) { return user }
        let similar = try users(folded: Username.folded(name))
        return similar.count == 1 ? similar.first : nil
    }

    /// The names of the users with these ids, each read once.
    package func usernames(of ids: [Int64]) throws -> [Int64: JSON] {
        var names: [Int64: JSON] = [:]
        for id in Set(ids) { names[id] = try user(id: id).map { .string($0.username.rawValue) } }
        return names
    }

    /// The user that a typed name means. Throws `not_found`.
    package func requireUser(named username: String) throws -> User {
        guard let user = try user(typed: username) else {
            throw Problem(.notFound, "There is no user \(username). Add one with: tidemark user add \(username)")
        }
        return user
    }
}

/// What a user can authenticate with besides a password: personal access tokens and sessions.
package struct Credentials: Sendable, Equatable {
    package var tokens: [StoredToken] = []
    package var sessions: [StoredSession] = []

    package init() {}

    /// How many there are, as the audit list tells it.
    package var counts: [String: JSON] {
        ["tokens": .int(Int64(tokens.count)), "sessions": .int(Int64(sessions.count))]
    }
}

extension ReadTransaction {
    /// All tokens and sessions of the user, including expired ones.
    func credentials(of user: User) throws -> Credentials {
        var all = Credentials()
        all.sessions = try sessions(of: user.id)
        while true {
            let page = try tokens(of: user.id, after: all.tokens.last?.id ?? 0, limit: 100)
            all.tokens += page
            if page.count < 100 { return all }
        }
    }
}

extension WriteTransaction {
    /// Ends the user's sessions and, if `tokens` is true, revokes the personal access tokens. Returns what was ended.
    package func endCredentials(of user: User, tokens: Bool) throws -> Credentials {
        var ended = try credentials(of: user)
        if !tokens { ended.tokens = [] }
        for token in ended.tokens { _ = try deleteToken(token.id, of: user.id) }
        try deleteSessions(of: user.id)
        return ended
    }
}
