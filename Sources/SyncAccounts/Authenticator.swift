import Crypto
import Foundation
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
        let (now, mark) = (clock.now(), try await store.mark(of: .accounts))
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
        guard let identity, token.issuer == identity.issuer else { return nil }
        return try await identity.grant(token)
    }
}
