import NIOCore
import SyncProtocol
import SyncStore

/// The members of a pull's answer that follow `changes`.
struct PageTrailer {
    let timestamp: SyncSeq
    let nextCursor: String?
    /// Rows that the drain has served so far.
    let rows: Int
    /// An estimate of the drain's rows; nil if unknown. The answer shows `rows` instead if that is more.
    let total: Int?
    /// JSON text of the member `digest`; nil leaves the member out.
    let digest: String?

    var bytes: ByteBuffer {
        let digest = digest.map { ",\"digest\":\($0)" } ?? ""
        let cursor = nextCursor.map { "\"\($0)\"" } ?? "null"
        let total = total.map { "\(max($0, rows))" } ?? "null"
        return ByteBuffer(
            string: """
                \(digest),"has_more":\(nextCursor != nil),"next_cursor":\(cursor),\
                "progress":{"rows":\(rows),"total":\(total)},"timestamp":\(timestamp)}
                """)
    }
}
