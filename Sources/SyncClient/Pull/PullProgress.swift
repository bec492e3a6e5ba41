/// How far a drain has come.
public struct PullProgress: Sendable, Equatable {
    /// Rows and deleted ids so far, including those of an interrupted pull that this one continues.
    public var rows: Int64
    /// The server's estimate of the final `rows`; nil when it gave none.
    public var total: Int64?
}
