/// How `Syncer.watch` hears of changes.
public enum WatchState: Sendable, Equatable {
    /// The server tells of each change at once.
    case events
    /// Events do not get through. The server holds each pull until there is something new, so changes arrive as
    /// quickly, with more requests.
    case waitingPulls(WaitReason)
    /// The server can't be reached, or can't serve this now. The next attempt comes after `retryIn`, or earlier.
    case disconnected(SyncTrouble, retryIn: Duration)
}
