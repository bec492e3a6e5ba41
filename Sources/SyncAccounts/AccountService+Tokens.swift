import SyncProtocol
import SyncStore

extension AccountService {
    /// Creates a personal access token. Returns its text, with 256 random bits, only this once: the store keeps only
    /// its SHA-256. Throws `not_found`.
    package func createToken(
        for username: String, name: String, isReadOnly: Bool = false, validFor: Duration? = nil
    ) async throws -> String {
        let (now, secret) = (clock.now(), OpaqueToken.random(.personal))
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            let token = NewToken(
                userID: user.id, name: name, isReadOnly: isReadOnly, createdAt: now,
                expiresAt: validFor.map { now.advanced(by: $0) })
            let stored = try transaction.createToken(token, hash: secret.hash)
            try transaction.audit(entry(.tokenCreated, of: user, stored.details))
        }
        return secret.text
    }

    /// The caller that a personal access token speaks for; nil if the
    /// token is unknown or expired, or the user is disabled.
    package func authenticate(token text: String) async throws -> Caller? {
        guard let secret = OpaqueToken(text, .personal) else { return nil }
        return try await store.read(.accounts) { try $0.grant(of: secret) }?.valid(at: clock.now())?
            .caller
    }

    /// The user's tokens by id, including expired ones, and the sessions that
    /// have not expired, oldest first. Throws `not_found`.
    package func credentials(of username: String) async throws -> Credentials {
        let now = clock.now()
        return try await store.read(.accounts) { transaction in
            var all = try transaction.credentials(of: try transaction.requireUser(named: username))
            all.sessions.removeAll { $0.expiresAt <= now }
            return all
        }
    }

    /// Revokes one token or session. Every server on the store refuses it from now on. Throws `not_found`.
    package func revoke(_ id: String, of username: String) async throws {
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            let all = try transaction.credentials(of: user)
            if let token = all.tokens.first(where: { String($0.id) == id }) {
                _ = try transaction.deleteToken(token.id, of: user.id)
                try transaction.audit(entry(.tokenRevoked, of: user, token.details))
            } else if let session = all.sessions.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
                try transaction.deleteSession(session.id)
                try transaction.audit(entry(.sessionRevoked, of: user, ["session": .string(session.id)]))
            } else {
                throw Problem(
                    .notFound,
                    "\(user.username) has no token or session \(id). "
                        + "To list them: tidemark token list --user \(user.username)")
            }
        }
    }

    /// Revokes all tokens and sessions of the user. Returns what was revoked. Throws `not_found`.
    @discardableResult
    package func revokeAll(of username: String) async throws -> Credentials {
        try await store.write(.accounts) { transaction in
            let user = try transaction.requireUser(named: username)
            let ended = try transaction.endCredentials(of: user, tokens: true)
            try transaction.audit(entry(.credentialsRevoked, of: user, ended.counts))
            return ended
        }
    }
}

extension StoredToken {
    /// The token as the audit list tells it.
    var details: [String: JSON] {
        ["token": .int(id), "name": .string(content.name), "read_only": .bool(content.isReadOnly)]
    }
}
