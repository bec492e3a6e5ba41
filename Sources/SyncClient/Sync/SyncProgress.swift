/// How far a sync is.
public enum SyncProgress: Sendable, Equatable {
    /// After a page.
    case pulled(PullProgress)
    /// After a batch.
    case pushed(PushProgress)
    /// Before it waits and tries again.
    case waiting(SyncTrouble)
}
