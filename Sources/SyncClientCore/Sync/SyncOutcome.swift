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

extension SyncOutcome {
    /// Whether it says something that no later sync says again.
    var hasNews: Bool { pulled?.left.isEmpty == false || pulled?.pages ?? 0 > 0 || pushed?.rows ?? 0 > 0 }

    /// What two works did, one after the other. An earlier refusal counts until there is a push without one.
    static func + (left: Self, right: Self) -> Self {
        var sum = SyncOutcome(pulled: left.pulled + right.pulled, pushed: left.pushed + right.pushed)
        sum.refusal = right.refusal ?? (right.pushed == nil ? left.refusal : nil)
        return sum
    }

    static func += (left: inout Self, right: Self) { left = left + right }
}

private func + (left: PullOutcome?, right: PullOutcome?) -> PullOutcome? {
    guard let left, let right else { return left ?? right }
    return left + right
}

private func + (left: PushOutcome?, right: PushOutcome?) -> PushOutcome? {
    guard let left, let right else { return left ?? right }
    return left + right
}
