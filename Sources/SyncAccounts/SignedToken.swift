import Foundation
import JWTKit
import SyncProtocol

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

    /// Whether issuer and audience are these, and `now` is within the token's lifetime, extended by `early` before its
    /// start and by `late` after its end. A token without `exp` is never valid.
    func isValid(
        issuer: ExactText, audience: String, now: SyncProtocol.Instant, early: Duration, late: Duration = .zero
    ) -> Bool {
        guard self.issuer == issuer, let named = claims["aud"],
            (named.array ?? [named]).contains(.string(audience)), let expiry = claims["exp"]?.number
        else { return false }
        let now = Double(now.milliseconds) / 1000
        guard now < expiry + late / .seconds(1) else { return false }
        guard let start = claims["nbf"] else { return true }
        return start.number.map { $0 - early / .seconds(1) <= now } ?? false
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
