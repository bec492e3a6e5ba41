import Crypto
import Foundation
import SyncProtocol

/// 256 random bits, as text.
package struct Secret {
    package let text: String

    package static func random() -> Secret {
        Secret(text: Base64URL.encode(SymmetricKey(size: .bits256).data))
    }
}
