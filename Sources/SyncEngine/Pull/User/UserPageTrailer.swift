import NIOCore
import SyncProtocol
import SyncStore

/// The members of a user-wide pull's answer that follow `changes`.
struct UserPageTrailer {
    var number: CommitNumber
    var nextCursor: String?
    /// Rows that the drain has served so far.
    var rows: Int
    /// An estimate of the drain's rows; nil if unknown.
    var total: Int?
    /// Of the first page: the projects that the client has to drop.
    var left: [LeftProject]?
    /// Projects that begin on this page and replace what the client has of them.
    var replaced: [String] = []
    /// Of the last page.
    var end: UserDrainEnd?

    /// Whether the drain had no row and nothing to tell of projects so far. A later page has no `left`, but it is asked
    /// for only if the first page had nothing.
    var isEmpty: Bool { rows == 0 && left?.isEmpty ?? true && replaced.isEmpty }

    var bytes: ByteBuffer {
        var members: [String: JSON] = [
            "has_more": .bool(nextCursor != nil), "next_cursor": nextCursor.map(JSON.string) ?? .null,
            "progress": ["rows": .int(Int64(rows)), "total": total.map { .int(Int64(max($0, rows))) } ?? .null],
            "timestamp": .int(number.watermark),
        ]
        members["left_projects"] = left.map { .array($0.map(\.json)) }
        if !replaced.isEmpty { members["replaced"] = .array(replaced.map(JSON.string)) }
        members["digest"] = end.map { .object($0.digests) }
        members["heads"] = end.map { .object($0.heads.mapValues { .int($0.rawValue) }) }
        // The document is open: the members follow `changes`.
        let text = JSON.object(members).text
        return ByteBuffer(string: "," + text.dropFirst())
    }
}
