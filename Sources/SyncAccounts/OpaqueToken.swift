import Crypto
import Foundation
import SyncProtocol
import SyncSchema

/// A token without content: a prefix and 256 random bits. Because it is random, a plain hash protects it at rest.
struct OpaqueToken {
    enum Kind: String {
        case personal = "tmk_"
        case refresh = "tmr_"
        case ticket = "tmt_"
    }

    let text: String

    static func random(_ kind: Kind) -> OpaqueToken { OpaqueToken(unchecked: kind.rawValue + Secret.random().text) }

    /// Nil for a text that no token of the kind can have.
    init?(_ text: String, _ kind: Kind) {
        guard text.hasPrefix(kind.rawValue), text.utf8.count <= 128 else { return nil }
        self.text = text
    }

    /// The token that follows a refresh token. It depends only on this token and the installation's secret, so it can
    /// be returned again although only hashes are stored.
    func successor(_ secret: SymmetricKey) -> OpaqueToken {
        let code = HMAC<SHA256>.authenticationCode(for: Data("refresh:\(text)".utf8), using: secret)
        return OpaqueToken(unchecked: Kind.refresh.rawValue + Base64URL.encode(Data(code)))
    }

    private init(unchecked text: String) { self.text = text }

    var hash: String { SHA256.hex(of: text) }
}

/// 256 random bits, as text.
package struct Secret {
    package let text: String

    package static func random() -> Secret {
        Secret(text: Base64URL.encode(SymmetricKey(size: .bits256).data))
    }
}
