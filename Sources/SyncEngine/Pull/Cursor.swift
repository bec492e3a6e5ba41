import Crypto
import Foundation
import SyncProtocol

/// Where a drain stands between two pages. Opaque to clients: what it carries is authenticated together with what it is
/// bound to, so that a cursor is good for exactly the drain that it came from, across restarts too.
struct Cursor: Equatable {
    /// The head that page 1 pinned.
    var timestamp: SyncSeq
    /// Index into the drain plan's segments.
    var segment: Int
    var position: KeysetPosition
    /// Rows served by the pages so far.
    var rows: Int
    /// The `progress.total` of page 1.
    var total: Int?
}

/// Writes and reads cursors: base64url without padding of 16 bytes of HMAC-SHA256 and a JSON payload.
struct CursorCodec: Sendable {
    private let key: SymmetricKey

    /// `secret` is kept in the database, so that a cursor outlives the process.
    init(secret: String) { key = SymmetricKey(data: Data(secret.utf8)) }

    func encode(_ cursor: Cursor, boundTo binding: String) -> String {
        let payload = Data(cursor.json.text.utf8)
        return Base64URL.encode(mac(payload, binding) + payload)
    }

    /// Throws `invalid_cursor` for anything that `encode` did not make with the same binding.
    func decode(_ text: String, boundTo binding: String) throws -> Cursor {
        guard let bytes = Base64URL.decode(text), bytes.count > 16,
            HMAC<SHA256>.isValid(bytes.prefix(16), payload: bytes.dropFirst(16), binding: binding, key: key),
            let cursor = (try? JSON(parsing: Data(bytes.dropFirst(16)))).flatMap(Cursor.init(json:))
        else {
            throw Problem(.invalidCursor, "This cursor belongs to another drain or is damaged. Restart from page 1.")
        }
        return cursor
    }

    private func mac(_ payload: Data, _ binding: String) -> Data {
        HMAC<SHA256>.truncated(payload: payload, binding: binding, key: key)
    }
}

extension HMAC<SHA256> {
    fileprivate static func truncated(payload: Data, binding: String, key: SymmetricKey) -> Data {
        Data(authenticationCode(for: Data("\(binding.utf8.count):\(binding)".utf8) + payload, using: key).prefix(16))
    }

    /// Compares in constant time.
    fileprivate static func isValid(_ mac: Data, payload: Data, binding: String, key: SymmetricKey) -> Bool {
        let expected = truncated(payload: Data(payload), binding: binding, key: key)
        return zip(mac, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
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
