/// Identifies a committed state inside this process. Every commit, of this process or another, makes a greater mark. A
/// mark is not stored and means nothing to other processes.
package struct CommitMark: Hashable, Sendable {
    @usableFromInline let rawValue: Int64

    /// `rawValue` grows with every commit.
    @inlinable
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    @inlinable
    package func isOlder(than other: CommitMark) -> Bool { rawValue < other.rawValue }

    @inlinable
    package static func == (left: CommitMark, right: CommitMark) -> Bool { left.rawValue == right.rawValue }
}
