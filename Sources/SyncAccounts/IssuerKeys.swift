package import Foundation
import JWTKit
import SyncProtocol
package import SyncStore

/// The keys of the outside issuer, as they were last read. Issuers change keys, so a key id that is not among them
/// causes the set to be read again, at most once a minute. If that fails, the present keys stay.
package actor IssuerKeys {
    private static let pause = Duration.seconds(60)
    private let source: KeySource
    private let clock: WallClock
    private var keys: [String: any JWTAlgorithm] = [:]
    private var readAt: Instant
    private var reading: Task<Void, Never>?

    /// Throws an `IdentityError` if the set was read and is not acceptable. If it can't be read, because its server is
    /// away, `onUnread` gets the reason, and the set is read when the first token needs it.
    package init(
        _ source: KeySource, clock: WallClock, onUnread: @Sendable (String) -> Void = { _ in }
    ) async throws {
        self.source = source
        self.clock = clock
        readAt = clock.now()
        do {
            keys = try await KeySet.read(try await source.read())
        } catch let error as IdentityError {
            throw IdentityError("\(source.name): \(error.description)")
        } catch {
            readAt = readAt.advanced(by: .seconds(-60))
            onUnread("Can't read the keys of the outside issuer from \(source.name): \(error)")
        }
    }

    /// The key with this id; nil if the issuer has none. May read the set again.
    func key(_ id: String) async -> (any JWTAlgorithm)? {
        if keys[id] == nil { await readAgain() }
        return keys[id]
    }

    /// Callers who come while the set is being read wait for it.
    private func readAgain() async {
        if let reading { return await reading.value }
        let now = clock.now()
        guard now < readAt || readAt.advanced(by: IssuerKeys.pause) <= now else { return }
        readAt = now
        let task = Task { await self.read() }
        reading = task
        await task.value
        reading = nil
    }

    private func read() async {
        guard let data = try? await source.read(), let fresh = try? await KeySet.read(data) else { return }
        keys = fresh
    }
}

/// Reads the keys of an issuer, by their ids, each with its only algorithm.
///
/// The algorithm is the key's own: its `alg`, or else the one that its type and curve imply. It is never the token's. A
/// token that chooses `none`, or HMAC with a public key as the secret, finds no key for that.
enum KeySet {
    /// Algorithms by key type and curve. The first one is for keys that name none.
    private static let algorithms: [String: [String]] = [
        "RSA": ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
        "EC P-256": ["ES256"], "EC P-384": ["ES384"], "EC P-521": ["ES512"], "OKP Ed25519": ["EdDSA"],
    ]

    /// Throws an `IdentityError` for data that is not a key set, and for a set with a symmetric or a private key, which
    /// must not be in one. Keys for encryption and of unknown types are ignored, as RFC 7517 section 5 requires.
    static func read(_ data: Data) async throws -> [String: any JWTAlgorithm] {
        guard let set = try? JSON(parsing: data, maximumDepth: 16), let members = set["keys"]?.array else {
            throw IdentityError("The key set is not a JSON object with a list named keys (RFC 7517).")
        }
        var keys: [String: any JWTAlgorithm] = [:]
        for member in members {
            guard let (id, key) = try await key(member) else { continue }
            guard keys.updateValue(key, forKey: id) == nil else {
                throw IdentityError("The key set has two keys with the kid \(id).")
            }
        }
        guard !keys.isEmpty else { throw IdentityError("The key set has no key to check signatures with.") }
        return keys
    }

    private static func key(_ member: JSON) async throws -> (String, any JWTAlgorithm)? {
        let type = member["kty"]?.string ?? ""
        let named = member["alg"]?.string
        guard type != "oct", named?.hasPrefix("HS") != true else {
            throw IdentityError("The key set has a symmetric key. Publish public keys only.")
        }
        guard member["use"]?.string ?? "sig" == "sig" else { return nil }
        let curve = member["crv"]?.string.map { " \($0)" } ?? ""
        guard let known = algorithms[type + curve], let algorithm = named ?? known.first, known.contains(algorithm)
        else { return nil }
        guard member["d"] == nil else {
            throw IdentityError("The key set has a private key. Publish public keys only, and replace this one.")
        }
        guard let id = member["kid"]?.string, !id.isEmpty else {
            throw IdentityError("The key set has a key without a kid. Give each key a kid.")
        }
        return (id, try await verifier(member, id: id, algorithm: algorithm))
    }

    private static func verifier(_ member: JSON, id: String, algorithm: String) async throws -> any JWTAlgorithm {
        var members = member.object ?? [:]
        members = members.filter { ["kty", "kid", "n", "e", "crv", "x", "y"].contains($0.key) }
        members["alg"] = .string(algorithm)
        do {
            let keys = try await JWTKeyCollection().add(jwk: try JWK(json: JSON.object(members).text))
            return try await keys.getKey(for: JWKIdentifier(string: id))
        } catch {
            throw IdentityError(
                "The key \(id) of the key set is not a valid \(algorithm) key. Check its members: n and e, or x and y.")
        }
    }
}

/// Where an issuer's key set comes from. Reading it is I/O, so whoever composes the server provides it.
package struct KeySource: Sendable {
    /// The operator's name for it, for messages.
    package let name: String
    /// Reads the present JSON Web Key Set (RFC 7517 section 5).
    package let read: @Sendable () async throws -> Data

    package init(name: String, read: @escaping @Sendable () async throws -> Data) {
        self.name = name
        self.read = read
    }
}

/// What is wrong with the settings of the outside identity, and what to do.
package struct IdentityError: Error, CustomStringConvertible, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
