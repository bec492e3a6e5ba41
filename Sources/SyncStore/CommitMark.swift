import SyncProtocol
import SyncSchema

/// Tells committed states apart: it is another one after every commit, whoever made it, this process or another one. It
/// means nothing outside this process.
package struct CommitMark: Hashable, Sendable {
    private let rawValue: Int64

    /// Numbers that grow with every commit.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    package func isOlder(than other: CommitMark) -> Bool { rawValue < other.rawValue }
}
