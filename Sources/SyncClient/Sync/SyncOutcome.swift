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

/// How far a sync is.
public enum SyncProgress: Sendable, Equatable {
    /// After a page.
    case pulled(PullProgress)
    /// After a batch.
    case pushed(PushProgress)
    /// Before it waits and tries again.
    case waiting(SyncTrouble)
}

/// Why a request is to be tried again.
public struct SyncTrouble: Sendable, Equatable {
    /// A sentence for a person.
    public let reason: String
    /// Whether the server, or something in its place, has answered.
    public let hasAnswered: Bool

    init(answer reason: String) { (self.reason, hasAnswered) = (reason, true) }

    init(_ error: TransportError) { (reason, hasAnswered) = (error.description, false) }
}

/// What a sync does.
public enum SyncDirection: Sendable, Equatable, CaseIterable {
    /// Takes what the server has.
    case pull
    /// Sends what is dirty, and pulls only where the server can't be sent anything without.
    case push
    /// Pulls, pushes, and pulls what came of that.
    case both
}
