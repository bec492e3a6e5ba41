/// What a finished sync did.
public struct SyncOutcome: Sendable, Equatable {
    /// Of all its pulls together.
    public var pulled: PullOutcome?
    /// Nil where it did not push.
    public var pushed: PushOutcome?
    /// Why nothing can be sent for now; a watch goes on pulling all the same. The role, or an archived project.
    public internal(set) var refusal: SyncError?

    /// What its parts did.
    public init(pulled: PullOutcome? = nil, pushed: PushOutcome? = nil) {
        self.pulled = pulled
        self.pushed = pushed
    }
}
