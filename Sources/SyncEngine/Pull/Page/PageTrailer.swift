import NIOCore
import SyncProtocol
import SyncStore

/// The members of a drain's answer behind `changes`.
struct PageTrailer {
    let timestamp: SyncSeq
    let nextCursor: String?
    /// Rows that the drain has served so far.
    let rows: Int
    /// An estimate, which what was served corrects.
    let total: Int?
    /// The member's JSON text; nil for no such member.
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

extension PageWriter {
    /// The whole document.
    consuming func finish(_ trailer: PageTrailer) -> ByteBuffer {
        var document = changes()
        document.writeImmutableBuffer(trailer.bytes)
        return document
    }
}
