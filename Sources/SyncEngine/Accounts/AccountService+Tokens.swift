import SyncProtocol

extension AccountService {
    /// A new personal access token. Its text, with 256 random bits, is returned this once; the store keeps its SHA-256.
    /// Throws `not_found`.
    package func createToken(
        for username: String, name: String, isReadOnly: Bool = false, validFor: Duration? = nil
    ) async throws -> String {
        let (now, secret) = (clock.now(), OpaqueToken.random(.personal))
        try await store.write { transaction in
            let token = NewToken(
                userID: try user(named: username, transaction).id, name: name, isReadOnly: isReadOnly, createdAt: now,
                expiresAt: validFor.map { now.advanced(by: $0) })
            _ = try transaction.createToken(token, hash: secret.hash)
        }
        return secret.text
    }

    /// Who a personal access token speaks for; nil when it is unknown or expired, or the user disabled.
    package func authenticate(token text: String) async throws -> Caller? {
        guard let secret = OpaqueToken(text, .personal) else { return nil }
        return try await store.read { try $0.grant(of: secret) }?.caller(at: clock.now())
    }
}
