public import SyncProtocol

/// What a finished pull did.
public struct PullOutcome: Sendable, Equatable {
    /// Live rows that the server sent.
    public var rows = 0
    /// Deleted ids that the server sent, whether the replica had the rows or not.
    public var deleted = 0
    /// Rows that were removed because a replacement did not contain them.
    public var dropped = 0
    /// Pages stored.
    public var pages = 0
    /// The new watermark: the replica holds everything that the caller may see up to this commit.
    public var timestamp = SyncSeq.zero
    /// The server's head when it sent the last page; nil when it sent none.
    public var head: SyncSeq?
    /// Whether the pull continued a drain that an earlier pull began.
    public var resumed = false
    /// Whether the watermark became void and everything was read again.
    public var resynced = false
    /// Collections that were read again, because the replica's rows did not match the server's digest.
    public var replaced: [String] = []
    /// The collections that still differ from the server's digest: the server contradicts itself.
    public var differing: [String] = []
    /// The projects that the user has lost, in a replica of all projects. Their rows are gone from it.
    public var left: [LeftProject] = []

    /// Whether a project changed during the drain. If so, another pull has something to fetch.
    public var isBehind: Bool { head.map { $0 > timestamp } ?? false }
}

extension PullOutcome {
    /// The sum of two pulls; the right one came later.
    static func + (left: Self, right: Self) -> Self {
        var sum = right
        sum.rows += left.rows
        sum.deleted += left.deleted
        sum.dropped += left.dropped
        sum.pages += left.pages
        sum.resumed = left.resumed || right.resumed
        sum.resynced = left.resynced || right.resynced
        sum.left = left.left + right.left
        sum.replaced = left.replaced + right.replaced.filter { !left.replaced.contains($0) }
        return sum
    }
}
