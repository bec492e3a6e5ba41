package import Crypto
import SyncProtocol

extension SHA256 {
    /// The hash of the bytes, as 64 lower-case hex digits.
    package static func hex(of bytes: [UInt8]) -> String { Array(hash(data: bytes)).hex }

    /// The hash of the text in UTF-8, as 64 lower-case hex digits.
    package static func hex(of text: String) -> String { hex(of: Array(text.utf8)) }
}
