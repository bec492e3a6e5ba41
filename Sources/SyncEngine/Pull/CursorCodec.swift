import Crypto
import Foundation
package import SyncProtocol
package import SyncStore

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
        let payload = Data(text.utf8)
        let binding = Data(binding.utf8)
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

/// The position of a drain between two pages. It is opaque to clients, valid only
/// for the drain that it came from, and survives restarts.
package struct Cursor: Equatable {
    /// The head that page 1 pinned.
    var timestamp: SyncSeq
    /// Index into the drain plan's segments.
    var segment: Int
    var position: KeysetPosition
    /// Rows served by the pages so far.
    var rows: Int
    /// The `progress.total` of page 1.
    var total: Int?
    /// By what the drain looks rows up.
    var choice = PartChoice()

    package init(timestamp: SyncSeq, segment: Int, position: KeysetPosition, rows: Int, total: Int?) {
        self.timestamp = timestamp
        self.segment = segment
        self.position = position
        self.rows = rows
        self.total = total
    }
}

extension Cursor {
    /// The text that `CursorCodec` encrypts.
    package var text: String {
        "\(timestamp) \(segment) \(position.seq) \(position.id) \(rows) \(total.map(String.init) ?? "-")"
            + (choice.isEmpty ? "" : " \(choice.text)")
    }

    package init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard [6, 7].contains(parts.count), let timestamp = Int64(parts[0]), let segment = Int(parts[1]),
            let seq = Int64(parts[2]), let rows = Int(parts[4])
        else { return nil }
        guard let choice = parts.count > 6 ? PartChoice(text: parts[6]) : PartChoice() else { return nil }
        self.init(
            timestamp: SyncSeq(timestamp), segment: segment,
            position: KeysetPosition(seq: SyncSeq(seq), id: String(parts[3])), rows: rows, total: Int(parts[5]))
        self.choice = choice
    }
}
