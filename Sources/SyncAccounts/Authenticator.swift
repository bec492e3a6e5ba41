import Crypto
import Foundation
package import SyncProtocol
package import SyncStore

/// Finds out whom a bearer token speaks for, whichever kind of token it is.
///
/// The installation's own tokens are cached by their SHA-256 until a commit takes something away from an account. So a
/// revocation takes effect at once, and otherwise each token is looked up only once.
package struct Authenticator<Store: SyncStore>: Sendable {
    private let store: Store
    private let clock: WallClock
    private let tokens: AccessTokens
    private let identity: OutsideIdentity<Store>?
    private let grants = CommitScopedCache<SHA256Digest, Grant>()

    package init(store: Store, tokens: AccessTokens, identity: OutsideIdentity<Store>?, clock: WallClock) {
        self.store = store
        self.tokens = tokens
        self.identity = identity
        self.clock = clock
    }

    /// Nil for a token that is not valid: unknown, expired, revoked, forged, or of a disabled user.
    ///
    /// Throws `unauthorized` if an outside identity is genuine, but no account can be created for it.
    package func grant(bearing text: String) async throws -> Grant? {
        let now = clock.now()
        let mark = try await store.mark(of: .accounts)
        let hash = SHA256.hash(data: Data(text.utf8))
        if let token = OpaqueToken(text, .personal) {
            return try await grants.value(of: hash, at: mark, in: store, .accounts) { try $0.grant(of: token) }?.valid(
                at: now)
        }
        if let known = grants.value(of: hash, at: mark) { return known.valid(at: now) }
        guard let token = SignedToken(text) else { return nil }
        if token.issuer == AccessTokens.issuer {
            guard let content = tokens.content(of: token, at: now) else { return nil }
            return try await grants.value(of: hash, at: mark, in: store, .accounts) { try $0.grant(of: content) }
        }
        return try await identity?.grant(token)
    }
}

/// The caller that a token speaks for, and when the token is valid.
package struct Grant: Sendable {
    package let caller: Caller
    /// Nil if it has no start.
    var startsAt: Instant?
    /// When the token ends, even if its session can be renewed. Nil if it never expires.
    package let expiresAt: Instant?

    /// Nil once the credential has expired, and also before it starts, for example after a clock was set back.
    func valid(at now: Instant) -> Grant? {
        if let startsAt, now < startsAt { return nil }
        if let expiresAt, expiresAt <= now { return nil }
        return self
    }
}

extension ReadTransaction {
    /// Nil for an unknown token, and for the token of a disabled user.
    func grant(of token: OpaqueToken) throws -> Grant? {
        guard let stored = try self.token(hash: token.hash) else { return nil }
        let expiresAt = stored.content.expiresAt
        let caller = Caller(
            try user(id: stored.content.userID), isReadOnly: stored.content.isReadOnly,
            credential: ExactText("token:\(stored.id)"), expiresAt: expiresAt)
        return caller.map { Grant(caller: $0, expiresAt: expiresAt) }
    }

    /// Nil if the session has ended or the user is disabled. Both are looked up, so an access token dies with either.
    func grant(of content: AccessTokens.Content) throws -> Grant? {
        guard try session(content.sessionID)?.userID == content.userID else { return nil }
        return Caller(try user(id: content.userID), credential: ExactText("session:\(content.sessionID)"))
            .map { Grant(caller: $0, startsAt: content.startsAt, expiresAt: content.expiresAt) }
    }
}
