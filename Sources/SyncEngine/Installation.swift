import Crypto
import Foundation
package import SyncSchema

/// What a database needs before anything is served from it.
package enum Installation {
    /// The name of the secret that authenticates cursors.
    static let cursorSecret = "cursor"

    /// Makes the secrets that are missing. Idempotent. Throws a `SchemaError` for a rule that there is not.
    package static func prepare(_ store: some SyncStore, _ registry: Registry) async throws {
        try RowRules.check(registry)
        try await store.write { transaction in
            guard try transaction.secret(cursorSecret) == nil else { return }
            try transaction.setSecret(cursorSecret, Secret.random().text)
        }
    }
}

/// 256 random bits, as text.
struct Secret {
    let text: String

    static func random() -> Secret {
        let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        return Secret(text: Base64URL.encode(bytes))
    }
}
