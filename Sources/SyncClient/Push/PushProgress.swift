import SyncProtocol

/// How far a push is.
public struct PushProgress: Sendable, Equatable {
    /// Rows that were answered.
    public var rows: Int
}
