package import SyncProtocol
package import SyncStore

/// Manages a user's own personal access tokens.
package struct TokenService<Store: SyncStore>: Sendable {
    private let store: Store
    private let clock: WallClock

    package init(store: Store, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// The caller's tokens after the id `after`, ordered by id, without their secrets.
    package func list(for caller: Caller, after: Int64, limit: Int) async throws -> [JSON] {
        try await store.read(.accounts) { try $0.tokens(of: caller.userID, after: after, limit: limit).map(\.json) }
    }

    /// Creates a token. Its member `token` is the secret, which is returned only this once.
    ///
    /// Throws `read_only_token`, `invalid_body`, and `forbidden`
    /// for a token that would outlive the one that creates it.
    package func create(_ request: TokenRequest, by caller: Caller) async throws -> JSON {
        try caller.requireWrite()
        let now = clock.now()
        try check(request.expiresAt, for: caller, at: now)
        let secret = OpaqueToken.random(.personal)
        let token = NewToken(
            userID: caller.userID, name: request.name, isReadOnly: request.isReadOnly, createdAt: now,
            expiresAt: request.expiresAt)
        let stored = try await store.write(.accounts) { transaction in
            let stored = try transaction.createToken(token, hash: secret.hash)
            try transaction.audit(
                AuditEntry(
                    .tokenCreated, by: caller.actor, subject: caller.userID, details: stored.details, at: now))
            return stored
        }
        return .object((stored.json.object ?? [:]).merging(["token": .string(secret.text)]) { $1 })
    }

    private func check(_ expiresAt: Instant?, for caller: Caller, at now: Instant) throws {
        if let expiresAt, expiresAt <= now {
            throw Problem(.invalidBody, "expires_at must be in the future.")
        }
        guard let end = caller.expiresAt else { return }
        guard let expiresAt, expiresAt <= end else {
            throw Problem(.forbidden, "Your own token expires at \(end.text). Send an expires_at that is not later.")
        }
    }

    /// Revokes the token, which is refused from now on. Throws `read_only_token`,
    /// and `not_found` for a token that is not the caller's.
    package func delete(_ id: Int64, by caller: Caller) async throws {
        try caller.requireWrite()
        let now = clock.now()
        try await store.write(.accounts, priority: .vital) { transaction in
            let token = id > 0 ? try transaction.tokens(of: caller.userID, after: id - 1, limit: 1).first : nil
            guard let token, try transaction.deleteToken(id, of: caller.userID) else {
                throw Problem(.notFound, "You have no token with this id.")
            }
            try transaction.audit(
                AuditEntry(.tokenRevoked, by: caller.actor, subject: caller.userID, details: token.details, at: now))
        }
    }
}

extension StoredToken {
    /// The token without its secret.
    package var json: JSON {
        [
            "id": .int(id), "name": .string(content.name), "read_only": .bool(content.isReadOnly),
            "created_at": .string(content.createdAt.text),
            "expires_at": content.expiresAt.map { .string($0.text) } ?? .null,
        ]
    }
}

/// A request for a new personal access token.
package struct TokenRequest: Sendable, Equatable {
    let name: String
    let isReadOnly: Bool
    let expiresAt: Instant?

    /// Throws `invalid_body`; the message names the member at fault.
    package init(_ body: JSON) throws {
        let members = body.object ?? [:]
        if let unknown = members.keys.filter({ !["name", "read_only", "expires_at"].contains($0) }).min() {
            throw Problem(.invalidBody, "A token has no member \"\(unknown)\", only name, read_only and expires_at.")
        }
        guard let name = members["name"]?.string, (1...255).contains(name.unicodeScalars.count),
            !name.unicodeScalars.contains("\0")
        else {
            throw Problem(.invalidBody, "name must say in 1 to 255 characters what the token is for.")
        }
        guard let isReadOnly = (members["read_only"] ?? false).bool else {
            throw Problem(.invalidBody, "read_only must be true or false.")
        }
        self.name = name
        self.isReadOnly = isReadOnly
        expiresAt = try TokenRequest.instant(members["expires_at"] ?? .null)
    }

    private static func instant(_ value: JSON) throws -> Instant? {
        if value.isNull { return nil }
        guard let instant = value.string.flatMap(Instant.init) else {
            throw Problem(.invalidBody, "expires_at must be an RFC 3339 date-time, or null for a token without expiry.")
        }
        return instant
    }
}
