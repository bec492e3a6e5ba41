import Crypto
import Foundation
package import SyncAccounts
import SyncProtocol
package import SyncStore

/// What a database needs before the server serves it.
package enum Installation {
    /// The name of the secret that authenticates cursors.
    static let cursorSecret = "cursor"
    /// The name of the secret that signs access tokens.
    static let sessionSecret = "session"

    private static let secrets = [cursorSecret, sessionSecret]

    /// Creates missing secrets. Idempotent, and writes nothing if there are none missing.
    package static func prepare(_ store: some SyncStore) async throws {
        let isPrepared = try await store.read(.installation) { transaction in
            try secrets.allSatisfy { try transaction.secret($0) != nil }
        }
        if isPrepared { return }
        try await store.write(.installation) { transaction in
            for name in secrets where try transaction.secret(name) == nil {
                try transaction.setSecret(name, Secret.random().text)
            }
        }
    }

    /// The signer of the installation's access tokens. `prepare` must have created the secret.
    package static func accessTokens(_ store: some SyncStore) async throws -> AccessTokens {
        guard let secret = try await store.read(.installation, { try $0.secret(sessionSecret) }) else {
            throw Problem(.internalError, "The database has no secret for access tokens.")
        }
        return try await AccessTokens(secret: secret)
    }
}
