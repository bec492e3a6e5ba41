import Crypto
import CryptoExtras
import Foundation
import JWTKit
import SyncAccounts
import SyncProtocol

/// Makes valid and invalid tokens, and the key set of an outside issuer.
struct Forge: Sendable {
    static let issuer = "https://id.example.org/"
    static let audience = "tidemark-app"
    let rsa: any JWTAlgorithm
    let ecdsa: any JWTAlgorithm
    let eddsa: any JWTAlgorithm
    let rsaPublicPEM: String
    let rsaModulus: Data
    private let publicKeys: [String: [String: JSON]]

    init() async throws {
        let rsaKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let (p256, ed25519) = (P256.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        rsa = try await JWTKeyCollection()
            .add(rsa: Insecure.RSA.PrivateKey(backing: rsaKey), digestAlgorithm: .sha256).getKey()
        ecdsa = try await JWTKeyCollection().add(ecdsa: ES256PrivateKey(backing: p256)).getKey()
        eddsa = try await JWTKeyCollection().add(eddsa: EdDSA.PrivateKey(backing: ed25519)).getKey()
        rsaPublicPEM = rsaKey.publicKey.pemRepresentation
        let primitives = try rsaKey.publicKey.getKeyPrimitives()
        rsaModulus = primitives.modulus
        let point = p256.publicKey.rawRepresentation
        publicKeys = [
            "r1": [
                "kty": "RSA", "n": .string(Forge.base64URL(primitives.modulus)),
                "e": .string(Forge.base64URL(primitives.publicExponent)),
            ],
            "e1": [
                "kty": "EC", "crv": "P-256", "x": .string(Forge.base64URL(point.prefix(32))),
                "y": .string(Forge.base64URL(point.suffix(32))),
            ],
            "o1": [
                "kty": "OKP", "crv": "Ed25519", "x": .string(Forge.base64URL(ed25519.publicKey.rawRepresentation)),
            ],
        ]
    }

    /// The key set with these keys; `changes` apply to each key.
    func keySet(_ ids: [String] = ["r1", "e1", "o1"], _ changes: [String: JSON] = [:]) -> Data {
        let keys = ids.map { id in
            JSON.object(publicKeys[id]!.merging(["kid": .string(id)]) { $1 }.merging(changes) { $1 })
        }
        return (["keys": .array(keys)] as JSON).data
    }

    func source(_ keySet: Data? = nil) -> KeySource {
        let keySet = keySet ?? self.keySet()
        return KeySource(name: "test") { keySet }
    }

    /// A token for `subject` that is valid at the scene's noon,
    /// apart from `claims` and `header`; null removes a member.
    func token(
        _ subject: String = "s-1", _ claims: [String: JSON] = [:], header: [String: JSON] = [:],
        key: (any JWTAlgorithm)? = nil
    ) throws -> String {
        let noon = SyncProtocol.Instant("2026-06-01T12:00:00Z")!.milliseconds / 1000
        let good: [String: JSON] = [
            "iss": .string(Forge.issuer), "aud": .string(Forge.audience), "sub": .string(subject),
            "preferred_username": .string("\(subject)-name"), "iat": .int(noon), "exp": .int(noon + 300),
        ]
        let key = key ?? rsa
        return try Forge.sign(
            good.merging(claims) { $1 },
            header: ["alg": .string(key.name), "kid": "r1"].merging(header) { $1 }
        ) { try key.sign($0) }
    }

    static func sign(
        _ claims: [String: JSON], header: [String: JSON], by sign: (Data) throws -> [UInt8]
    ) rethrows -> String {
        let parts = [header, claims].map { members in
            base64URL(JSON.object(members.filter { $0.value != .null }).data)
        }
        let signed = parts.joined(separator: ".")
        return signed + "." + base64URL(Data(try sign(signed.data)))
    }

    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static var accounts: AccountSettings {
        var settings = AccountSettings()
        settings.identityIssuer = issuer
        settings.identityAudience = audience
        return settings
    }
}
