/// What a finished sync did.
public struct SyncOutcome: Sendable, Equatable {
    /// All pulls together; nil when it did not pull.
    public var pulled: PullOutcome?
    /// All pushes together; nil when it did not push.
    public var pushed: PushOutcome?
    /// Why the server accepts no edits at present: the caller's role, or an archived project. Only
    /// `Syncer.watch` sets this; it keeps pulling.
    public internal(set) var refusal: SyncError?

    /// Makes an outcome from its parts.
    public init(pulled: PullOutcome? = nil, pushed: PushOutcome? = nil) {
        self.pulled = pulled
        self.pushed = pushed
    }
}
