import Foundation
import JWTKit
@testable import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Which key sets an issuer may publish.
@Suite struct KeySetTests {
    private let forge: Forge

    init() async throws { forge = try await Forge() }

    @Test func theAlgorithmIsTheKeysOwn() async throws {
        let keys = try await KeySet.read(forge.keySet())
        #expect(keys.mapValues(\.name) == ["r1": "RS256", "e1": "ES256", "o1": "EdDSA"])
        let named = try await KeySet.read(forge.keySet(["r1"], ["alg": "PS384"]))
        #expect(named.mapValues(\.name) == ["r1": "PS384"])
    }

    @Test func keysForEncryptionAndOfUnknownKindsAreLeftOut() async throws {
        var set = try JSON(parsing: forge.keySet()).at("/keys")?.array ?? []
        set[0] = .object((set[0].object ?? [:]).merging(["use": "enc"]) { $1 })
        set[1] = .object((set[1].object ?? [:]).merging(["alg": "ECDH-ES"]) { $1 })
        set.append(["kty": "OKP", "crv": "X448", "kid": "x", "x": "AAAA"])
        set.append(["kty": "AKP", "kid": "y"])
        #expect(try await KeySet.read((["keys": .array(set)] as JSON).data).keys.sorted() == ["o1"])
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"keys": 7}"#, #"{"keys": []}"#, #"{"keys": [7]}"#,
        #"{"keys": [{"kty": "oct", "kid": "a", "k": "c2VjcmV0"}]}"#,
        #"{"keys": [{"kty": "RSA", "kid": "a", "alg": "HS256", "n": "AQAB", "e": "AQAB"}]}"#,
        #"{"keys": [{"kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB"}]}"#,
        #"{"keys": [{"kty": "RSA", "kid": "a"}]}"#,
        #"{"keys": [{"kty": "EC", "crv": "P-256", "kid": "a", "x": "AAAA", "y": "AAAA"}]}"#,
        #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "AAAA"}]}"#,
    ])
    func aSetThatIsNotAcceptableIsRefused(text: String) async throws {
        await #expect(throws: IdentityError.self) { try await KeySet.read(text.data) }
    }

    @Test func privateKeysDoubledIDsAndKeysWithoutOneAreRefused() async throws {
        for set in [
            forge.keySet(["r1"], ["d": "AAAA"]), forge.keySet(["r1", "r1"]), forge.keySet(["r1"], ["kid": nil]),
            forge.keySet(["r1"], ["kid": ""]),
        ] {
            await #expect(throws: IdentityError.self) { try await KeySet.read(set) }
        }
    }

    @Test func aSymmetricKeyEndsTheStart() async throws {
        let source = forge.source(#"{"keys": [{"kty": "oct", "kid": "a", "k": "c2VjcmV0"}]}"#.data)
        let error = await #expect(throws: IdentityError.self) { try await IssuerKeys(source, clock: .system) }
        #expect(error?.description.contains("symmetric") == true)
    }

    @Test func settingsThatDoNotGoTogetherEndTheStart() async throws {
        let keys = try await IssuerKeys(forge.source(), clock: .system)
        let store = ModelStore(registry: try .builtIn())
        for change: (inout AccountSettings) -> Void in [
            { $0.identityIssuer = "" }, { $0.identityAudience = "" }, { $0.identityIssuer = "tidemark" },
        ] {
            var settings = Forge.accounts
            change(&settings)
            #expect(throws: IdentityError.self) {
                try OutsideIdentity(settings, keys: keys, store: store, clock: .system)
            }
        }
    }
}
