import Crypto
import Foundation
import SyncProtocol
import SyncStore

/// Writes and reads cursors: unpadded base64url of an AES-GCM box (RFC 5116) whose associated data
/// is what the cursor is bound to. Cursors are encrypted, not only authenticated, because the last
/// row examined may be one that the caller must not know of.
package struct CursorCodec: Sendable {
    private let key: SymmetricKey
    private let nonceKey: SymmetricKey

    /// `secret` comes from the database, so cursors outlive the process.
    package init(secret: String) {
        key = SymmetricKey(data: SHA256.hash(data: Data("cursor:\(secret)".utf8)))
        nonceKey = SymmetricKey(data: SHA256.hash(data: Data("nonce:\(secret)".utf8)))
    }

    package func encode(_ cursor: Cursor, boundTo binding: String) throws -> String {
        try seal(cursor.text, boundTo: binding)
    }

    /// Throws `invalid_cursor` for anything that `encode` did not make with the same binding.
    package func decode(_ text: String, boundTo binding: String) throws -> Cursor {
        guard let cursor = Cursor(text: try open(text, boundTo: binding)) else { throw CursorCodec.invalid }
        return cursor
    }

    /// Deterministic: the nonce is a MAC of the content. A repeated page is the same
    /// byte for byte, and no nonce is used for two contents.
    func seal(_ text: String, boundTo binding: String) throws -> String {
        let (payload, binding) = (Data(text.utf8), Data(binding.utf8))
        let mac = HMAC<SHA256>.authenticationCode(for: payload + binding, using: nonceKey)
        let box = try AES.GCM.seal(
            payload, using: key, nonce: AES.GCM.Nonce(data: Data(mac).prefix(12)), authenticating: binding)
        return Base64URL.encode(box.combined ?? Data())
    }

    /// Throws `invalid_cursor` for anything that `seal` did not make with the same binding.
    func open(_ text: String, boundTo binding: String) throws -> String {
        guard let bytes = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: bytes),
            let payload = try? AES.GCM.open(box, using: key, authenticating: Data(binding.utf8))
        else { throw CursorCodec.invalid }
        return String(decoding: payload, as: UTF8.self)
    }

    private static var invalid: Problem {
        Problem(.invalidCursor, "This cursor belongs to another drain or is damaged. Restart from page 1.")
    }
}
