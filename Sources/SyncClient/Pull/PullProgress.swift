import SyncProtocol

/// How far a drain is.
public struct PullProgress: Sendable, Equatable {
    /// Rows and deleted ids so far, those of an interrupted pull that is being resumed included.
    public var rows: Int64
    /// The server's estimate of what `rows` will be, nil when it gave none.
    public var total: Int64?
}
