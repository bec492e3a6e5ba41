import SyncProtocol
package import SyncStore

extension Caller {
    /// How long after a login its session may change the accounts of others.
    package static let freshness = Duration.seconds(600)
    /// By how much a login may seem to be in the future, since a clock may be set back a little.
    private static let leeway = Duration.seconds(60)

    /// Throws unless the caller is a superuser who may change something now: `forbidden`, `read_only_token`,
    /// `reauthentication_required`. `action` begins a sentence: "Making a backup".
    package func requireFreshSuperuser(_ action: String, by clock: WallClock, in store: some SyncStore) async throws {
        try requireSuperuser(action)
        try requireWrite()
        try await store.read(.accounts) { try requireFreshPassword(at: $0.now(by: clock), in: $0) }
    }

    /// Throws `reauthentication_required` unless the caller's session began with a password at most 10 minutes ago. So
    /// a copied token does not do. Renewing a session does not make it younger, and neither does a clock that was set
    /// back behind the login.
    private func requireFreshPassword(at now: Instant, in transaction: any ReadTransaction) throws {
        guard let id = sessionID, let session = try transaction.session(id),
            session.createdAt <= now.advanced(by: Self.leeway),
            now < session.createdAt.advanced(by: Self.freshness)
        else {
            throw Problem(
                .reauthenticationRequired,
                "This needs a session whose password was given in the last 10 minutes. Log in again: POST /auth/token/")
        }
    }

    /// Nil for any other credential.
    private var sessionID: String? {
        let prefix = "session:"
        guard credential.rawValue.utf8.starts(with: prefix.utf8) else { return nil }
        return String(credential.rawValue.dropFirst(prefix.count))
    }
}
