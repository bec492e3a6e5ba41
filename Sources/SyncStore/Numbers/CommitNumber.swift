/// The installation's commit number: every logical write that touches synced rows draws the next one, however many
/// projects it touches. Each project's own number (`SyncSeq`) stands beside it, see `NumberedCommit`.
///
/// Numbers stay below 2^52. So a user-wide watermark, 2^52 plus a number, is never mistaken for a project's.
package struct CommitNumber: Sendable, Hashable, Comparable {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The state of an empty installation. The first commit has the next number.
    package static let first = CommitNumber(1)

    /// Numbers, and the heads of projects, stay below it.
    package static let limit: Int64 = 1 << 52

    /// The number as a user-wide watermark on the wire. It is greater than every watermark of a project.
    package var watermark: Int64 { CommitNumber.limit + rawValue }

    /// Nil if `watermark` is not a user-wide one.
    package init?(watermark: Int64) {
        guard watermark > CommitNumber.limit else { return nil }
        rawValue = watermark - CommitNumber.limit
    }

    package static func < (one: CommitNumber, other: CommitNumber) -> Bool { one.rawValue < other.rawValue }
}
