import Crypto
import Foundation

/// What a database needs before anything is served from it.
public enum Installation {
    /// The name of the secret that authenticates cursors.
    static let cursorSecret = "cursor"

    /// Makes the secrets that are missing. Idempotent.
    public static func prepare(_ store: some SyncStore) async throws {
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
