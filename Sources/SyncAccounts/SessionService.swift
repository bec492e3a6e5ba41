package import SyncProtocol
package import SyncStore

/// Logins by password. See `docs/decisions/0007-sessions.md`.
///
/// A login starts a session, which is a family of tokens. It has an access token for a quarter of an hour,
/// and a refresh token that can be exchanged once for the next pair. A refresh token that is used a second
/// time was copied, and nobody can say who has the copy. So the session ends, and its access tokens with it.
/// There is one exception, for a client that lost the answer: until the next refresh token is used, the same
/// next refresh token is returned again. No clock decides on that, since two servers never have the same.
package struct SessionService<Store: SyncStore>: Sendable {
    private static var refreshLifetime: Duration { .seconds(30 * 86_400) }
    private let store: Store
    private let tokens: AccessTokens
    private let passwords: Passwords
    private let clock: WallClock
    private let newID: NewID
    private let throttle: LoginThrottle

    package init(
        store: Store, tokens: AccessTokens, passwords: Passwords, settings: AccountSettings, clock: WallClock,
        newID: NewID = .uuid
    ) {
        self.store = store
        self.tokens = tokens
        self.passwords = passwords
        self.clock = clock
        self.newID = newID
        throttle = LoginThrottle(settings, shared: store.throttle, clock: clock)
    }

    /// Starts a session. Throws `rate_limited`, `busy` and `invalid_credentials`. The last is the same, after the same
    /// work, for a wrong password, an unknown name, a disabled account and an account without a password.
    package func logIn(_ username: String, password: String, from address: String) async throws -> TokenPair {
        try await throttle.attempt(as: username, from: address) {
            let (user, hash) = try await store.read(.accounts) { transaction in
                let user = try transaction.user(loggingInAs: username)
                return (user, try transaction.passwordHash(of: user?.id ?? 0))
            }
            let match = try await passwords.match(password, hash)
            guard match != .wrong, let user, !user.isDisabled, let hash else { throw Problem.invalidCredentials }
            // What was hashed by an older version follows the rules of this one from now on, if it can.
            var newHash: String?
            if match == .olderForm { newHash = try? await passwords.hash(password) }
            return try await open(for: user.id, passwordHash: hash) { [newHash] transaction, _ in
                if let newHash { try transaction.setPasswordHash(newHash, user: user.id) }
            }
        }
    }

    /// Changes the password of the caller's account. Ends all its sessions, the caller's included, and returns the
    /// tokens of a new one. Tokens that were copied before no longer work. Personal access tokens stay.
    ///
    /// Throws `forbidden` for the token of an outside issuer, which keeps the password; `read_only_token`; `bad_format`
    /// for a new password that breaks the rules; `rate_limited` as a login does; `busy`; and `invalid_credentials` if
    /// `current` is not the password, or the account has none.
    package func changePassword(
        of caller: Caller, from current: String, to new: String, address: String
    ) async throws -> TokenPair {
        guard !caller.isOutsiders else { throw Problem.passwordElsewhere }
        try caller.requireWrite()
        try passwords.requireAcceptable(new)
        return try await throttle.attempt(as: caller.username.rawValue, from: address) {
            let stored = try await store.read(.accounts) { try $0.passwordHash(of: caller.userID) }
            guard try await passwords.matches(current, stored), let stored else { throw Problem.wrongPassword }
            let hash = try await passwords.hash(new)
            return try await open(for: caller.userID, passwordHash: stored) { transaction, now in
                try transaction.setPasswordHash(hash, user: caller.userID)
                try transaction.deleteSessions(of: caller.userID)
                try transaction.audit(
                    AuditEntry(.passwordChanged, by: caller.from(address).actor, subject: caller.userID, at: now))
            }
        }
    }

    /// Runs `change` and starts a session, in one transaction. It checks the account again, because the password was
    /// checked outside the transaction.
    private func open(
        for userID: Int64, passwordHash: String,
        after change: @escaping @Sendable (any WriteTransaction, Instant) throws -> Void
    ) async throws -> TokenPair {
        let id = newID()
        let refresh = OpaqueToken.random(.refresh)
        let session = try await store.write(.accounts, priority: .vital) { transaction in
            guard let user = try transaction.user(id: userID), !user.isDisabled,
                try transaction.passwordHash(of: userID) == passwordHash
            else { throw Problem.invalidCredentials }
            let now = try transaction.now(by: clock)
            let expiry = now.advanced(by: Self.refreshLifetime)
            let session = StoredSession(id: id, userID: userID, createdAt: now, expiresAt: expiry)
            try change(transaction, now)
            try transaction.forgetSessions(before: now)
            try transaction.createSession(session)
            try transaction.createRefreshToken(
                StoredRefreshToken(sessionID: session.id, expiresAt: expiry), hash: refresh.hash)
            return session
        }
        return try pair(session, refresh: refresh, at: session.createdAt)
    }

    /// Returns the session's next pair; this uses up the token. If the same token comes again, it gets
    /// the same next refresh token, unless that was used meanwhile. Throws `rate_limited`.
    /// Throws `invalid_refresh_token` for a token that is unknown, expired or of a disabled account, and
    /// for a used one, whose session it ends.
    package func refresh(_ text: String, from address: String) async throws -> TokenPair {
        try await throttle.refresh(from: address)
        guard let shown = try await known(text) else { throw Problem.invalidRefreshToken }
        let next = shown.successor(tokens.refreshKey)
        let renewed = try await store.write(.accounts, priority: .vital) {
            transaction -> (session: StoredSession, at: Instant)? in
            guard let token = try transaction.refreshToken(hash: shown.hash) else { return nil }
            let now = try transaction.now(by: clock)
            let session =
                try token.isRotated
                ? again(token, next: next, at: now, in: transaction)
                : rotate(token, shown: shown, to: next, at: now, in: transaction)
            return session.map { (session: $0, at: now) }
        }
        guard let renewed else { throw Problem.invalidRefreshToken }
        return try pair(renewed.session, refresh: next, at: renewed.at)
    }

    /// Uses up the token, and makes the next one. Nil if the token has expired or its session has ended.
    private func rotate(
        _ token: StoredRefreshToken, shown: OpaqueToken, to next: OpaqueToken, at now: Instant,
        in transaction: any WriteTransaction
    ) throws -> StoredSession? {
        guard token.expiresAt > now, let session = try live(token.sessionID, transaction) else { return nil }
        let expiry = now.advanced(by: Self.refreshLifetime)
        try transaction.forgetSessions(before: now)
        try transaction.rotateRefreshToken(hash: shown.hash, at: now, keptUntil: expiry)
        try transaction.createRefreshToken(
            StoredRefreshToken(sessionID: session.id, expiresAt: expiry), hash: next.hash)
        return session
    }

    /// The session of a used token, if nobody has used its successor. Otherwise ends the session and returns nil. It
    /// does not throw, because an error would roll the end back.
    private func again(
        _ used: StoredRefreshToken, next: OpaqueToken, at now: Instant, in transaction: any WriteTransaction
    ) throws -> StoredSession? {
        if let successor = try transaction.refreshToken(hash: next.hash), !successor.isRotated {
            return successor.expiresAt > now ? try live(used.sessionID, transaction) : nil
        }
        try transaction.deleteSession(used.sessionID)
        return nil
    }

    /// The session; nil if it has ended or its user is disabled.
    private func live(_ id: String, _ transaction: any ReadTransaction) throws -> StoredSession? {
        guard let session = try transaction.session(id), let user = try transaction.user(id: session.userID),
            !user.isDisabled
        else { return nil }
        return session
    }

    /// Ends the token's session, whether the token is used or not. Idempotent: an unknown token does nothing.
    package func logOut(_ text: String) async throws {
        guard let shown = try await known(text) else { return }
        try await store.write(.accounts, priority: .vital) { transaction in
            guard let token = try transaction.refreshToken(hash: shown.hash) else { return }
            try transaction.deleteSession(token.sessionID)
        }
    }

    /// The refresh token if it exists or existed; otherwise nil. It is looked up by a read first, so made-up tokens
    /// don't take the writer's time.
    private func known(_ text: String) async throws -> OpaqueToken? {
        guard let shown = OpaqueToken(text, .refresh) else { return nil }
        return try await store.read(.accounts) { try $0.refreshToken(hash: shown.hash) } == nil ? nil : shown
    }

    private func pair(_ session: StoredSession, refresh: OpaqueToken, at now: Instant) throws -> TokenPair {
        let content = AccessTokens.Content(
            userID: session.userID, sessionID: session.id, startsAt: now,
            expiresAt: now.advanced(by: AccessTokens.lifetime))
        return TokenPair(access: try tokens.text(content, id: newID()), refresh: refresh.text)
    }
}

extension Caller {
    /// Whether the credential is an outside issuer's.
    fileprivate var isOutsiders: Bool { credential.rawValue.utf8.starts(with: "identity:".utf8) }
}

extension Problem {
    fileprivate static let passwordElsewhere = Problem(
        .forbidden, "You log in with an outside issuer. Change your password there.")
    fileprivate static let wrongPassword = Problem(
        .invalidCredentials,
        "current_password is not the account's password, or the account has none. The operator can set one: "
            + "tidemark user password NAME --password-stdin")
    static let invalidCredentials = Problem(
        .invalidCredentials, "No account has this name and this password. Check both.")
    static let invalidRefreshToken = Problem(
        .invalidRefreshToken, "This refresh token was used, has expired or was revoked. Log in again.")
}

/// What an operator can set about accounts.
package struct AccountSettings: Sendable, Equatable {
    /// Failed logins per minute from one address, which may be a whole office; 0 means no limit.
    /// `TIDEMARK_AUTH_LOGINS_PER_ADDRESS`.
    package var loginsPerAddress = 100
    /// Failed logins per minute into one account from one address, and ten times as many from all; 0 means no limit.
    /// `TIDEMARK_AUTH_LOGINS_PER_ACCOUNT`.
    package var loginsPerAccount = 5
    /// Refreshes per minute from one address; 0 means no limit. `TIDEMARK_AUTH_REFRESHES_PER_ADDRESS`.
    package var refreshesPerAddress = 60
    /// Whether the peer is a reverse proxy that appends its own peer to `X-Forwarded-For`.
    /// `TIDEMARK_AUTH_TRUST_FORWARDED_FOR`.
    package var trustsForwardedFor = false
    /// The `iss` of outside tokens; empty if there is no outside issuer. `TIDEMARK_IDENTITY_ISSUER`.
    package var identityIssuer = ""
    /// The `aud` that outside tokens must have. `TIDEMARK_IDENTITY_AUDIENCE`.
    package var identityAudience = ""
    /// The issuer's JWKS: a file, or an https URL. `TIDEMARK_IDENTITY_KEYS`.
    package var identityKeys = ""
    /// Who gets in with an outside token: `any` user of the issuer, who gets an account, or `known` ones, whose
    /// identity the operator has linked to an account. `TIDEMARK_IDENTITY_ACCOUNTS`.
    package var identityAccounts = "any"
    /// The claim with the user name of a new account. `TIDEMARK_IDENTITY_USERNAME_CLAIM`.
    package var identityUsernameClaim = "preferred_username"

    package init() {}
}

/// What a login and a refresh return.
package struct TokenPair: Sendable, Equatable {
    package let access: String
    package let refresh: String

    package var json: JSON { ["access": .string(access), "refresh": .string(refresh)] }
}
