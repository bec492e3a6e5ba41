package import SyncProtocol
package import SyncStore

/// What a user can authenticate with besides a password: personal access tokens and sessions.
package struct Credentials: Sendable, Equatable {
    package var tokens: [StoredToken] = []
    package var sessions: [StoredSession] = []

    package init() {}

    /// How many there are, as the audit list tells it.
    package var counts: [String: JSON] {
        ["tokens": .int(Int64(tokens.count)), "sessions": .int(Int64(sessions.count))]
    }
}

extension ReadTransaction {
    /// All tokens and sessions of the user, including expired ones.
    func credentials(of user: User) throws -> Credentials {
        var all = Credentials()
        all.sessions = try sessions(of: user.id)
        while true {
            let page = try tokens(of: user.id, after: all.tokens.last?.id ?? 0, limit: 100)
            all.tokens += page
            if page.count < 100 { return all }
        }
    }
}

extension WriteTransaction {
    /// Ends the user's sessions and, if `tokens` is true, revokes the personal access tokens. Returns what was ended.
    package func endCredentials(of user: User, tokens: Bool) throws -> Credentials {
        var ended = try credentials(of: user)
        if !tokens { ended.tokens = [] }
        for token in ended.tokens { _ = try deleteToken(token.id, of: user.id) }
        try deleteSessions(of: user.id)
        return ended
    }
}
