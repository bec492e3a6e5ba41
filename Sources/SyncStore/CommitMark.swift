import SyncProtocol
import SyncSchema

/// Identifies a committed state inside this process. Every commit, of this process or another, makes a greater mark. A
/// mark is not stored and means nothing to other processes.
package struct CommitMark: Hashable, Sendable {
    private let rawValue: Int64

    /// `rawValue` grows with every commit.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    package func isOlder(than other: CommitMark) -> Bool { rawValue < other.rawValue }
}
