import SyncProtocol

/// Finds out whom a bearer token of whatever kind speaks for.
package struct Authenticator<Store: SyncStore>: Sendable {
    private let store: Store
    private let clock: WallClock
    private let accounts: AccountService<Store>
    private let tokens: AccessTokens
    private let identity: OutsideIdentity<Store>?

    package init(
        store: Store, accounts: AccountService<Store>, tokens: AccessTokens, identity: OutsideIdentity<Store>?,
        clock: WallClock
    ) {
        self.store = store
        self.accounts = accounts
        self.tokens = tokens
        self.identity = identity
        self.clock = clock
    }

    /// Nil for a token that is good for nothing: unknown, expired, revoked, forged, or of a disabled user.
    ///
    /// Throws `unauthorized` where an outside identity is genuine, and no account can be made for it.
    package func caller(bearing text: String) async throws -> Caller? {
        if text.hasPrefix(OpaqueToken.Kind.personal.rawValue) { return try await accounts.authenticate(token: text) }
        guard let token = SignedToken(text) else { return nil }
        if token.issuer == AccessTokens.issuer { return try await caller(inSessionOf: token) }
        guard let identity, token.issuer == identity.issuer else { return nil }
        return try await identity.caller(token)
    }

    /// The session is looked up together with the user, so that an access token dies with either.
    private func caller(inSessionOf token: SignedToken) async throws -> Caller? {
        guard let content = tokens.content(of: token, at: clock.now()) else { return nil }
        return try await store.read { transaction in
            guard try transaction.session(content.sessionID)?.userID == content.userID else { return nil }
            return Caller(try transaction.user(id: content.userID), credential: "session:\(content.sessionID)")
        }
    }
}
