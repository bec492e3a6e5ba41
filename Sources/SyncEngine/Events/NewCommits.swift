package import NIOCore
package import SyncProtocol
package import SyncStore

/// Commits of which one listener may see something, merged.
package struct NewCommits: Sendable {
    /// The head of each project since its last such commit.
    package var heads: [String: SyncSeq]
    /// The greatest number of these commits. Every commit up to it has been handed over.
    package var number: CommitNumber
    /// When the feed heard of the first of them.
    package var heardAt: NIODeadline
    /// Over how many milliseconds clients should spread their pulls; 0 for at once.
    package var spreadMilliseconds = 0

    /// Adds later commits.
    package mutating func merge(_ other: NewCommits) {
        heads.merge(other.heads) { max($0, $1) }
        number = max(number, other.number)
        heardAt = min(heardAt, other.heardAt)
        spreadMilliseconds = max(spreadMilliseconds, other.spreadMilliseconds)
    }
}
