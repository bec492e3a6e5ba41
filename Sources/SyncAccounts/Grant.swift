import SyncProtocol
import SyncStore

/// Whom a credential speaks for, and when.
struct Grant: Sendable {
    let caller: Caller
    /// Nil for one that is good from the beginning of time.
    var startsAt: Instant?
    /// Nil for one without end.
    let expiresAt: Instant?

    /// Nil once it has expired, and before it began, as after a clock was set back.
    func caller(at now: Instant) -> Caller? {
        if let startsAt, now < startsAt { return nil }
        if let expiresAt, expiresAt <= now { return nil }
        return caller
    }
}

extension ReadTransaction {
    /// Nil for a token that is unknown, and for a disabled user's.
    func grant(of token: OpaqueToken) throws -> Grant? {
        guard let stored = try self.token(hash: token.hash) else { return nil }
        let expiresAt = stored.content.expiresAt
        let caller = Caller(
            try user(id: stored.content.userID), isReadOnly: stored.content.isReadOnly,
            credential: ExactText("token:\(stored.id)"), expiresAt: expiresAt)
        return caller.map { Grant(caller: $0, expiresAt: expiresAt) }
    }

    /// The session is looked up together with the user, so that an access token dies with either.
    func grant(of content: AccessTokens.Content) throws -> Grant? {
        guard try session(content.sessionID)?.userID == content.userID else { return nil }
        return Caller(try user(id: content.userID), credential: ExactText("session:\(content.sessionID)"))
            .map { Grant(caller: $0, startsAt: content.startsAt, expiresAt: content.expiresAt) }
    }
}
