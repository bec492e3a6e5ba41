public import SyncProtocol

/// What a finished push did.
public struct PushOutcome: Sendable, Equatable {
    /// Rows that the server accepted. They include deletions, and deletions of rows that it did not have any more.
    public var applied = 0
    /// Rows whose edit the server did not accept, or whose collection it has removed. What was written is in
    /// `Replica.setAside()`.
    public var setAside = 0
    /// Rows that the server did not accept and that keep their edits: new rows, and rows of collections that it takes
    /// no edits of any more. They are sent again after the next edit here. `Replica.refused()` has the reasons.
    public var refused = 0
    /// Batches that were answered.
    public var batches = 0
    /// The commit of the last batch to one project. It is not a watermark: only a pull delivers what was committed
    /// before it.
    public var timestamp: SyncSeq?

    /// All rows that were answered or given up.
    public var rows: Int { applied + setAside + refused }

    /// Whether a pull has something new to fetch.
    public var isWorthAPull: Bool { batches > 0 }
}

extension PushOutcome {
    /// The sum of two pushes; the right one came later.
    static func + (left: Self, right: Self) -> Self {
        PushOutcome(
            applied: left.applied + right.applied, setAside: left.setAside + right.setAside,
            refused: left.refused + right.refused, batches: left.batches + right.batches,
            timestamp: right.timestamp ?? left.timestamp)
    }
}
