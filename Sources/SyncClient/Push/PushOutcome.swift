public import SyncProtocol

/// What a finished push did.
public struct PushOutcome: Sendable, Equatable {
    /// Rows that the server took, deletions and rows that it no longer needed among them.
    public var applied = 0
    /// Rows whose edit the server did not take. What was written is in `Replica.setAside()`.
    public var setAside = 0
    /// New rows that the server did not take. They stay, and are sent again when something is edited here:
    /// `Replica.refused()` tells why.
    public var refused = 0
    /// Answered requests.
    public var batches = 0
    /// The last batch's commit. No watermark: a pull tells what lies before it.
    public var timestamp: SyncSeq?

    /// Rows that were answered.
    public var rows: Int { applied + setAside + refused }

    /// Whether the server has something new to tell.
    public var isWorthAPull: Bool { batches > 0 }
}

extension PushOutcome {
    static func + (left: Self, right: Self) -> Self {
        PushOutcome(
            applied: left.applied + right.applied, setAside: left.setAside + right.setAside,
            refused: left.refused + right.refused, batches: left.batches + right.batches,
            timestamp: right.timestamp ?? left.timestamp)
    }
}
