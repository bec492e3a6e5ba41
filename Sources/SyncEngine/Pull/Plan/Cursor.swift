import Crypto
import Foundation
package import SyncProtocol
package import SyncStore

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
