import Crypto
import Foundation
import JWTKit
package import SyncProtocol
import SyncSchema
import SyncStore

/// A JSON Web Token (RFC 7519) in its compact form, parsed but not yet verified.
struct SignedToken {
    /// No token meant for this server is nearly as long.
    private static let maximumBytes = 16 << 10
    let claims: JSON
    private let header: JSON
    private let signedPart: Data
    private let signature: Data

    /// Nil for a text that is not a token. Base64url is read strictly. A header with `crit` is refused, as RFC 7515
    /// section 4.1.11 requires of a reader that knows none of the extensions.
    init?(_ text: String) {
        guard text.utf8.count <= SignedToken.maximumBytes else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = SignedToken.object(parts[0]), let claims = SignedToken.object(parts[1]),
            let signature = Base64URL.decode(String(parts[2])), header["crit"] == nil
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signedPart = Data("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSON? {
        guard let data = Base64URL.decode(String(part)), let json = try? JSON(parsing: data, maximumDepth: 16),
            json.object != nil
        else { return nil }
        return json
    }

    var keyID: String? { header["kid"]?.string }
    var issuer: ExactText? { claims["iss"]?.string.map { ExactText($0) } }

    /// The algorithm is the key's. A header that names another one is refused, whatever the signature.
    func isSigned(by key: any JWTAlgorithm) -> Bool {
        guard header["alg"] == .string(key.name) else { return false }
        return (try? key.verify(signature, signs: signedPart)) ?? false
    }

    /// What keeps a token that was signed from being valid.
    enum Fault: Sendable {
        case issuer, audience, expired, notYet
    }

    /// Nil if issuer and audience are these, and `now` is within the token's lifetime, extended by `early` before its
    /// start and by `late` after its end. A token without `exp` is never valid.
    func fault(
        issuer: ExactText, audience: String, now: SyncProtocol.Instant, early: Duration, late: Duration = .zero
    ) -> Fault? {
        guard self.issuer == issuer else { return .issuer }
        guard let named = claims["aud"], (named.array ?? [named]).contains(.string(audience)) else { return .audience }
        let now = Double(now.milliseconds) / 1000
        guard let expiry = claims["exp"]?.number, now < expiry + late / .seconds(1) else { return .expired }
        guard let start = claims["nbf"] else { return nil }
        let isBegun = start.number.map { $0 - early / .seconds(1) <= now } ?? false
        return isBegun ? nil : .notYet
    }

    /// The claim `exp`; nil if there is none, or none that a clock will ever reach.
    var expiresAt: SyncProtocol.Instant? {
        claims["exp"]?.number.flatMap { seconds in
            seconds < 1e12 ? SyncProtocol.Instant(milliseconds: Int64(max(0, seconds) * 1000)) : nil
        }
    }

    /// The compact form of a token with these claims, signed with the key.
    static func text(_ claims: JSON, keyID: String, key: any JWTAlgorithm) throws -> String {
        let header: JSON = ["alg": .string(key.name), "kid": .string(keyID), "typ": "JWT"]
        let signed = [header, claims].map { Base64URL.encode(Data($0.text.utf8)) }.joined(separator: ".")
        return signed + "." + Base64URL.encode(Data(try key.sign(Data(signed.utf8))))
    }
}

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
            token.fault(
                issuer: AccessTokens.issuer, audience: AccessTokens.issuer.rawValue, now: now, early: Self.leeway)
                == nil,
            let userID = token.claims["sub"]?.string.flatMap(Int64.init), let sessionID = token.claims["sid"]?.string,
            let start = token.claims["nbf"]?.int, let expiry = token.claims["exp"]?.int
        else { return nil }
        return Content(
            userID: userID, sessionID: sessionID,
            startsAt: SyncProtocol.Instant(milliseconds: start * 1000).advanced(by: .zero - Self.leeway),
            expiresAt: SyncProtocol.Instant(milliseconds: expiry * 1000))
    }
}
