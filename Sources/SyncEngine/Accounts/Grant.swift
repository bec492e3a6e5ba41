import SyncProtocol

/// Whom a credential speaks for, and until when.
struct Grant: Sendable {
    let caller: Caller
    /// Nil for one without end.
    let expiresAt: Timestamp?

    /// Nil once it has expired.
    func caller(at now: Timestamp) -> Caller? { expiresAt.map { $0 > now } ?? true ? caller : nil }
}

extension ReadTransaction {
    /// Nil for a token that is unknown, and for a disabled user's.
    func grant(of token: OpaqueToken) throws -> Grant? {
        guard let stored = try self.token(hash: token.hash) else { return nil }
        let expiresAt = stored.content.expiresAt
        let caller = Caller(
            try user(id: stored.content.userID), isReadOnly: stored.content.isReadOnly,
            credential: "token:\(stored.id)", expiresAt: expiresAt)
        return caller.map { Grant(caller: $0, expiresAt: expiresAt) }
    }

    /// The session is looked up together with the user, so that an access token dies with either.
    func grant(of content: AccessTokens.Content) throws -> Grant? {
        guard try session(content.sessionID)?.userID == content.userID else { return nil }
        return Caller(try user(id: content.userID), credential: "session:\(content.sessionID)")
            .map { Grant(caller: $0, expiresAt: content.expiresAt) }
    }
}
