import Crypto
import Foundation

/// A personal access token: `tmk_` and 256 random bits, so that a plain hash protects it at rest.
struct AccessToken {
    let text: String

    static func random() -> AccessToken { AccessToken(unchecked: "tmk_" + Secret.random().text) }

    /// Nil for a text that no token can have.
    init?(_ text: String) {
        guard text.hasPrefix("tmk_"), text.utf8.count <= 128 else { return nil }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    var hash: String { SHA256.hash(data: Data(text.utf8)).hex }
}
