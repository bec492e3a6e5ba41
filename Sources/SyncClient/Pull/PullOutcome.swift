public import SyncProtocol

/// What a finished pull did.
public struct PullOutcome: Sendable, Equatable {
    /// Live rows applied.
    public var rows = 0
    /// Ids that the server named as deleted, whether the replica had them or not.
    public var deleted = 0
    /// Rows that went because a replacement did not name them.
    public var dropped = 0
    /// Answers applied.
    public var pages = 0
    /// The new watermark: the replica holds all that the caller may see up to this commit.
    public var timestamp = SyncSeq.zero
    /// The server's head at the last page, when it told.
    public var head: SyncSeq?
    /// Whether the drain was begun by an earlier pull.
    public var resumed = false
    /// Whether an earlier watermark was void, so that everything was read again.
    public var resynced = false
    /// Collections that were read anew, because their rows were not those that the server counted.
    public var replaced: [String] = []
    /// Of these, the ones that differ still: the server contradicts itself.
    public var differing: [String] = []

    /// Whether more was written during the drain: another pull has something to do.
    public var isBehind: Bool { head.map { $0 > timestamp } ?? false }
}

extension PullOutcome {
    /// Both, the right one later.
    static func + (left: Self, right: Self) -> Self {
        var sum = right
        sum.rows += left.rows
        sum.deleted += left.deleted
        sum.dropped += left.dropped
        sum.pages += left.pages
        sum.resumed = left.resumed || right.resumed
        sum.resynced = left.resynced || right.resynced
        sum.replaced = left.replaced + right.replaced.filter { !left.replaced.contains($0) }
        return sum
    }
}
