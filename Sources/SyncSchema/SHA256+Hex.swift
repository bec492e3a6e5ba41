package import Crypto
import SyncProtocol

extension SHA256 {
    /// A digest as 64 lower-case hex digits.
    package static func hex(of bytes: [UInt8]) -> String { Array(hash(data: bytes)).hex }

    /// Of a text in UTF-8.
    package static func hex(of text: String) -> String { hex(of: Array(text.utf8)) }
}
