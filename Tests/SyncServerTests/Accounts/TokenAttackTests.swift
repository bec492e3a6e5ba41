import Crypto
import Foundation
import JWTKit
import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit

import Testing

/// Forged and damaged tokens get the same answer as a missing token.
@Suite struct TokenAttackTests {
    private func expectRefused(_ token: String, _ scene: Scene, _ what: String) async throws {
        for path in ["/api/v1/auth/me/", "/api/v1/projects/p1/sync/"] {
            let answer = try await scene.stranger.bearing(token).send("GET", path)
            #expect(answer.status == 401, "\(what)")
            #expect(answer.code == "unauthorized", "\(what)")
            #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true, "\(what)")
        }
    }

    private func hmac(_ secret: Data) -> (Data) -> [UInt8] {
        { Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret))) }
    }

    private func outside(_ forge: Forge) async throws -> Scene {
        try await Scene(accounts: Accounts(settings: Forge.accounts, passwords: .quick), keys: forge.source())
    }

    /// Decodes a part of the token, changes it, and puts it back. The signature stays.
    private func changed(_ token: String, part: Int, _ change: (inout [String: JSON]) -> Void) throws -> String {
        var parts = token.split(separator: ".").map(String.init)
        var members = try JSON(parsing: try #require(Base64URL.decode(parts[part]))).object ?? [:]
        change(&members)
        parts[part] = Forge.base64URL(JSON.object(members).data)
        return parts.joined(separator: ".")
    }

    @Test func textsThatAreNoTokensAreRefused() async throws {
        let scene = try await outside(Forge())
        for text in [
            "", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d", "e30.e30.", "e30.e30.e30", "W10.W10.W10", "bnVsbA.bnVsbA.",
            "=.=.=", "e30=.e30=.", "💥.💥.💥", "tmk_", "Bearer",
        ] {
            try await expectRefused(text, scene, text)
        }
    }

    @Test func aHugeTokenIsRefused() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        let huge = try forge.token("s-1", ["padding": .string(String(repeating: "x", count: 20_000))])
        try await expectRefused(huge, scene, "huge")
        try await expectRefused(String(repeating: "a.", count: 15_000), scene, "dots")
        let deep = Forge.base64URL(Data((String(repeating: "[", count: 5000)).utf8))
        try await expectRefused("\(deep).\(deep).e30", scene, "deep")
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE", "", "HS256", "HS512", "RS384", "ES256", "EdDSA", "RS256 "])
    func theTokenDoesNotChooseTheAlgorithm(algorithm: String) async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        try await expectRefused(try forge.token(header: ["alg": .string(algorithm)]), scene, algorithm)
        let own = try await access(scene)
        guard algorithm != "HS256" else { return }
        try await expectRefused(try changed(own, part: 0) { $0["alg"] = .string(algorithm) }, scene, algorithm)
    }

    @Test func aTokenWithoutASignatureIsRefused() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        for token in [try forge.token(), try await access(scene)] {
            let bare = token.split(separator: ".").prefix(2).joined(separator: ".")
            try await expectRefused(bare, scene, "two parts")
            try await expectRefused(bare + ".", scene, "empty signature")
            let none = try changed(bare, part: 0) { $0["alg"] = "none" }
            try await expectRefused(none + ".", scene, "alg none")
        }
    }

    /// A known attack: using the public key, which everybody has, as an HMAC secret.
    @Test func thePublicKeyIsNoSecret() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        let pem = forge.rsaPublicPEM
        for secret in [pem.data, (pem + "\n").data, forge.rsaModulus, Data(), forge.keySet(["r1"])] {
            for kid in ["r1", "e1"] {
                let token = Forge.sign(
                    ["iss": .string(Forge.issuer), "aud": .string(Forge.audience), "sub": "s-1", "exp": 9_999_999_999],
                    header: ["alg": "HS256", "kid": .string(kid), "typ": "JWT"], by: hmac(secret))
                try await expectRefused(token, scene, "HMAC with the public key")
            }
        }
    }

    @Test func anotherKeysSignatureIsRefused() async throws {
        let (forge, other) = (try await Forge(), try await Forge())
        let scene = try await outside(forge)
        try await expectRefused(try forge.token(key: other.rsa), scene, "foreign RSA key")
        try await expectRefused(try forge.token(header: ["kid": "e1"], key: other.ecdsa), scene, "foreign EC key")
        try await expectRefused(try forge.token(header: ["kid": "e1"]), scene, "RSA under the EC key's id")
        try await expectRefused(try forge.token(header: ["kid": "r1"], key: forge.eddsa), scene, "EdDSA under RSA's id")
    }

    @Test func aKeyThatIsNotNamedOrNotKnownIsRefused() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        for kid: JSON in [nil, "", "unknown", "R1", 1, ["r1"]] {
            try await expectRefused(try forge.token(header: ["kid": kid]), scene, kid.text)
        }
        let own = try await access(scene)
        try await expectRefused(try changed(own, part: 0) { $0["kid"] = nil }, scene, "no kid")
        try await expectRefused(try changed(own, part: 0) { $0["kid"] = "r1" }, scene, "other kid")
    }

    @Test func headersThatBringTheirOwnKeyOrExtensionAreNotFollowed() async throws {
        let (forge, other) = (try await Forge(), try await Forge())
        let scene = try await outside(forge)
        let jwk = try JSON(parsing: other.keySet(["r1"])).at("/keys/0") ?? .null
        for header: [String: JSON] in [
            ["jwk": jwk], ["jku": "https://evil.example/keys"], ["x5u": "https://evil.example"],
        ] {
            try await expectRefused(try forge.token(header: header, key: other.rsa), scene, "\(header.keys)")
        }
        try await expectRefused(try forge.token(header: ["crit": ["exp"]]), scene, "crit")
    }

    @Test func claimsThatAreNotMetAreRefused() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        let noon = Workbench<ModelStore>.noon.milliseconds / 1000
        let bad: [[String: JSON]] = [
            ["exp": .int(noon - 60)], ["exp": nil], ["exp": "9999999999"], ["exp": .int(0)], ["exp": .int(-1)],
            ["nbf": .int(noon + 61)], ["nbf": "0"],
            ["iss": "https://id.example.org"], ["iss": "https://evil.example/"], ["iss": nil], ["iss": 7],
            ["iss": [.string(Forge.issuer)]],
            ["aud": "other-app"], ["aud": nil], ["aud": []], ["aud": ["other-app"]], ["aud": 7],
            ["sub": nil], ["sub": ""], ["sub": 7], ["sub": .string(String(repeating: "s", count: 256))],
            ["sub": "a\u{0}b"],
        ]
        for claims in bad { try await expectRefused(try forge.token("s-1", claims), scene, "\(claims)") }
        let good: [[String: JSON]] = [
            [:], ["exp": .int(noon - 59)], ["nbf": .int(noon + 60)], ["exp": .double(Double(noon) + 0.5)],
            ["aud": ["other-app", .string(Forge.audience)]],
        ]
        for claims in good {
            #expect(try await scene.stranger.bearing(forge.token("s-1", claims)).me().status == 200, "\(claims)")
        }
    }

    @Test func aChangedTokenIsRefused() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        let (theirs, own) = (try forge.token(), try await access(scene))
        try await expectRefused(try changed(theirs, part: 1) { $0["sub"] = "s-2" }, scene, "payload")
        try await expectRefused(try changed(own, part: 1) { $0["sub"] = "1" }, scene, "payload")
        try await expectRefused(try changed(own, part: 1) { $0["exp"] = 9_999_999_999 }, scene, "payload")
        for token in [theirs, own] {
            var characters = Array(token)
            let middle = characters.count - 10
            characters[middle] = characters[middle] == "A" ? "B" : "A"
            try await expectRefused(String(characters), scene, "signature")
            try await expectRefused(token + "=", scene, "padding")
            try await expectRefused(token + "A", scene, "longer")
            try await expectRefused(String(token.dropLast(4)), scene, "shorter")
        }
        #expect(try await scene.stranger.bearing(theirs).me().status == 200)
        #expect(try await scene.stranger.bearing(own).me().status == 200)
    }

    @Test func anotherInstallationsTokenIsRefused() async throws {
        let (scene, other) = (try await Scene(), try await Scene())
        let (mine, theirs) = (try await access(scene), try await access(other))
        try await expectRefused(theirs, scene, "foreign")
        let kid = try JSON(parsing: try #require(Base64URL.decode(String(mine.prefix { $0 != "." }))))["kid"]
        try await expectRefused(try changed(theirs, part: 0) { $0["kid"] = kid }, scene, "foreign with our kid")
        #expect(try await scene.stranger.bearing(mine).me().status == 200)
    }

    @Test func anOutsideTokenIsRefusedWhereNoIssuerIsSet() async throws {
        let forge = try await Forge()
        try await expectRefused(try forge.token(), try await Scene(), "no issuer")
    }

    /// The outside issuer can only issue tokens of its own users.
    @Test func theOutsideIssuerCannotMakeTheServersOwnTokens() async throws {
        let forge = try await Forge()
        let scene = try await outside(forge)
        let own = try JSON(
            parsing: try #require(Base64URL.decode(String(try await access(scene).split(separator: ".")[1]))))
        let token = try forge.token("x", own.object ?? [:])
        try await expectRefused(token, scene, "our issuer, their key")
    }

    private func access(_ scene: Scene) async throws -> String {
        if try await !scene.bench.accounts.users().contains(where: { $0.username == "alice" }) {
            try await scene.addAlice()
        }
        return try await scene.stranger.logIn().access
    }
}
