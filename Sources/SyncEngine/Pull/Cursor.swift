import Crypto
import Foundation
package import SyncProtocol

/// Where a drain stands between two pages. Opaque to clients, and good for exactly the drain that it came from, across
/// restarts too.
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

    package init(timestamp: SyncSeq, segment: Int, position: KeysetPosition, rows: Int, total: Int?) {
        self.timestamp = timestamp
        self.segment = segment
        self.position = position
        self.rows = rows
        self.total = total
    }
}

/// Writes and reads cursors: base64url without padding of an AES-GCM box (RFC 5116) whose associated data is what the
/// cursor is bound to. Encrypted, not only authenticated, because the last row examined may be one that the caller must
/// not know of.
package struct CursorCodec: Sendable {
    private let key: SymmetricKey
    private let nonceKey: SymmetricKey

    /// `secret` is kept in the database, so that a cursor outlives the process.
    package init(secret: String) {
        key = SymmetricKey(data: SHA256.hash(data: Data("cursor:\(secret)".utf8)))
        nonceKey = SymmetricKey(data: SHA256.hash(data: Data("nonce:\(secret)".utf8)))
    }

    /// The nonce is a MAC of what is sealed, so that a repeated page is the same page, byte for byte, and no nonce serves
    /// two contents.
    package func encode(_ cursor: Cursor, boundTo binding: String) throws -> String {
        let (payload, binding) = (Data(cursor.json.text.utf8), Data(binding.utf8))
        let mac = HMAC<SHA256>.authenticationCode(for: payload + binding, using: nonceKey)
        let box = try AES.GCM.seal(
            payload, using: key, nonce: AES.GCM.Nonce(data: Data(mac).prefix(12)), authenticating: binding)
        return Base64URL.encode(box.combined ?? Data())
    }

    /// Throws `invalid_cursor` for anything that `encode` did not make with the same binding.
    package func decode(_ text: String, boundTo binding: String) throws -> Cursor {
        guard let bytes = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: bytes),
            let payload = try? AES.GCM.open(box, using: key, authenticating: Data(binding.utf8)),
            let cursor = (try? JSON(parsing: payload)).flatMap(Cursor.init(json:))
        else {
            throw Problem(.invalidCursor, "This cursor belongs to another drain or is damaged. Restart from page 1.")
        }
        return cursor
    }
}

extension Cursor {
    fileprivate var json: JSON {
        [
            .int(timestamp.rawValue), .int(Int64(segment)), .int(position.seq.rawValue), .string(position.id),
            .int(Int64(rows)), total.map { .int(Int64($0)) } ?? .null,
        ]
    }

    fileprivate init?(json: JSON) {
        guard let parts = json.array, parts.count == 6, let timestamp = parts[0].int, let segment = parts[1].int,
            let seq = parts[2].int, let id = parts[3].string, let rows = parts[4].int
        else { return nil }
        self.init(
            timestamp: SyncSeq(timestamp), segment: Int(segment), position: KeysetPosition(seq: SyncSeq(seq), id: id),
            rows: Int(rows), total: parts[5].int.map(Int.init))
    }
}

/// RFC 4648 section 5, without padding.
enum Base64URL {
    static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func decode(_ text: String) -> Data? {
        guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2F && $0 != 0x3D }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let data = Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
        return data.flatMap { encode($0) == text ? $0 : nil }
    }
}
