package import SyncProtocol
import SyncStore

/// The caller that a token speaks for, and when the token is valid.
package struct Grant: Sendable {
    package let caller: Caller
    /// Nil if it has no start.
    var startsAt: Instant?
    /// When the token ends, even if its session can be renewed. Nil if it never expires.
    package let expiresAt: Instant?

    /// Nil once the credential has expired, and also before it starts, for example after a clock was set back.
    func valid(at now: Instant) -> Grant? {
        if let startsAt, now < startsAt { return nil }
        if let expiresAt, expiresAt <= now { return nil }
        return self
    }
}

extension ReadTransaction {
    /// Nil for an unknown token, and for the token of a disabled user.
    func grant(of token: OpaqueToken) throws -> Grant? {
        guard let stored = try self.token(hash: token.hash) else { return nil }
        let expiresAt = stored.content.expiresAt
        let caller = Caller(
            try user(id: stored.content.userID), isReadOnly: stored.content.isReadOnly,
            credential: ExactText("token:\(stored.id)"), expiresAt: expiresAt)
        return caller.map { Grant(caller: $0, expiresAt: expiresAt) }
    }

    /// Nil if the session has ended or the user is disabled. Both are looked up, so an access token dies with either.
    func grant(of content: AccessTokens.Content) throws -> Grant? {
        guard try session(content.sessionID)?.userID == content.userID else { return nil }
        return Caller(try user(id: content.userID), credential: ExactText("session:\(content.sessionID)"))
            .map { Grant(caller: $0, startsAt: content.startsAt, expiresAt: content.expiresAt) }
    }
}
