import Crypto
import Foundation
import JWTKit
package import SyncProtocol
import SyncSchema
import SyncStore

/// Makes and reads the installation's own access tokens. They are short-lived and signed with a secret of the
/// installation (HS256), so another installation's tokens are not valid here.
package struct AccessTokens: Sendable {
    /// The value of `iss` and `aud`.
    package static let issuer: ExactText = "tidemark"
    package static let lifetime = Duration.seconds(15 * 60)
    /// A token may start this much in the future: another server's clock may be ahead, and a clock may be set back.
    private static let leeway = Duration.seconds(60)
    private let keyID: String
    private let key: any JWTAlgorithm
    /// The key that derives each refresh token's successor.
    let refreshKey: SymmetricKey

    /// The content of a token, as far as it is needed.
    struct Content: Equatable {
        let userID: Int64
        let sessionID: String
        /// In a token that was read, this is earlier than its `nbf`, by the leeway.
        let startsAt: SyncProtocol.Instant
        let expiresAt: SyncProtocol.Instant
    }

    /// Throws if `secret` can't be used as a key.
    package init(secret: String) async throws {
        keyID = String(SHA256.hex(of: "kid:\(secret)").prefix(16))
        let derived = SymmetricKey(data: SHA256.hash(data: Data("access:\(secret)".utf8)))
        refreshKey = SymmetricKey(data: SHA256.hash(data: Data("refresh:\(secret)".utf8)))
        key = try await JWTKeyCollection().add(hmac: HMACKey(key: derived), digestAlgorithm: .sha256).getKey()
    }

    /// A signed token. Its times are cut to whole seconds.
    func text(_ content: Content, id: String) throws -> String {
        let seconds = content.startsAt.milliseconds / 1000
        let claims: JSON = [
            "iss": .string(AccessTokens.issuer.rawValue), "aud": .string(AccessTokens.issuer.rawValue),
            "sub": .string(String(content.userID)), "sid": .string(content.sessionID), "jti": .string(id),
            "iat": .int(seconds), "nbf": .int(seconds),
            "exp": .int(content.expiresAt.milliseconds / 1000),
        ]
        return try SignedToken.text(claims, keyID: keyID, key: key)
    }

    /// Nil for a token that is not the installation's, or is not valid now.
    func content(of token: SignedToken, at now: SyncProtocol.Instant) -> Content? {
        guard token.keyID == keyID, token.isSigned(by: key),
            token.isValid(
                issuer: AccessTokens.issuer, audience: AccessTokens.issuer.rawValue, now: now, early: Self.leeway),
            let userID = token.claims["sub"]?.string.flatMap(Int64.init), let sessionID = token.claims["sid"]?.string,
            let start = token.claims["nbf"]?.int, let expiry = token.claims["exp"]?.int
        else { return nil }
        return Content(
            userID: userID, sessionID: sessionID,
            startsAt: SyncProtocol.Instant(milliseconds: start * 1000).advanced(by: .zero - Self.leeway),
            expiresAt: SyncProtocol.Instant(milliseconds: expiry * 1000))
    }
}
