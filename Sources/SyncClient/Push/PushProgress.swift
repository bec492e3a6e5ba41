/// How far a push has come.
public struct PushProgress: Sendable, Equatable {
    /// Rows answered so far.
    public var rows: Int
}
