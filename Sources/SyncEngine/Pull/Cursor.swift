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
        let (payload, binding) = (Data(cursor.text.utf8), Data(binding.utf8))
        let mac = HMAC<SHA256>.authenticationCode(for: payload + binding, using: nonceKey)
        let box = try AES.GCM.seal(
            payload, using: key, nonce: AES.GCM.Nonce(data: Data(mac).prefix(12)), authenticating: binding)
        return Base64URL.encode(box.combined ?? Data())
    }

    /// Throws `invalid_cursor` for anything that `encode` did not make with the same binding.
    package func decode(_ text: String, boundTo binding: String) throws -> Cursor {
        guard let bytes = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: bytes),
            let payload = try? AES.GCM.open(box, using: key, authenticating: Data(binding.utf8)),
            let cursor = Cursor(text: String(decoding: payload, as: UTF8.self))
        else {
            throw Problem(.invalidCursor, "This cursor belongs to another drain or is damaged. Restart from page 1.")
        }
        return cursor
    }
}

extension Cursor {
    /// What is sealed.
    package var text: String {
        "\(timestamp) \(segment) \(position.seq) \(position.id) \(rows) \(total.map(String.init) ?? "-")"
    }

    package init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, let timestamp = Int64(parts[0]), let segment = Int(parts[1]), let seq = Int64(parts[2]),
            let rows = Int(parts[4])
        else { return nil }
        self.init(
            timestamp: SyncSeq(timestamp), segment: segment,
            position: KeysetPosition(seq: SyncSeq(seq), id: String(parts[3])), rows: rows, total: Int(parts[5]))
    }
}

/// RFC 4648 section 5, without padding.
enum Base64URL {
    static func encode(_ data: Data) -> String {
        let base64 = data.base64EncodedData()
        return String(unsafeUninitializedCapacity: base64.count) { text in
            var count = 0
            for byte in base64 where byte != UInt8(ascii: "=") {
                text[count] = encoded(byte)
                count += 1
            }
            return count
        }
    }

    private static func encoded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
    }

    static func decode(_ text: String) -> Data? {
        var base64 = Data(capacity: text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            default: base64.append(byte)
            }
        }
        base64.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - base64.count % 4) % 4))
        return Data(base64Encoded: base64).flatMap { encode($0) == text ? $0 : nil }
    }
}
