/// How far a sync has come.
public enum SyncProgress: Sendable, Equatable {
    /// Sent after a page was stored.
    case pulled(PullProgress)
    /// Sent after a batch was answered.
    case pushed(PushProgress)
    /// Sent before a wait and a new attempt.
    case waiting(SyncTrouble)
}
