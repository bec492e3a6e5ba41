import SyncProtocol
package import SyncStore

/// Authenticates callers by a JSON Web Token of the outside issuer.
package struct OutsideIdentity<Store: SyncStore>: Sendable {
    /// Allowed because the clocks of two machines differ.
    private static var leeway: Duration { .seconds(60) }
    let issuer: ExactText
    private let audience: String
    private let usernameClaim: String
    private let keys: IssuerKeys
    private let store: Store
    private let clock: WallClock

    /// Throws an `IdentityError` for incomplete or contradictory settings.
    package init(_ settings: AccountSettings, keys: IssuerKeys, store: Store, clock: WallClock) throws {
        guard !settings.identityIssuer.isEmpty, !settings.identityAudience.isEmpty else {
            throw IdentityError("An outside identity needs all of issuer, audience and keys.")
        }
        guard ExactText(settings.identityIssuer) != AccessTokens.issuer else {
            throw IdentityError("\(AccessTokens.issuer) is the server's own issuer. Set the outside issuer.")
        }
        issuer = ExactText(settings.identityIssuer)
        audience = settings.identityAudience
        usernameClaim = settings.identityUsernameClaim
        self.keys = keys
        self.store = store
        self.clock = clock
    }

    /// Nil for an invalid token, and for a disabled account. Creates the account when it first sees the identity.
    ///
    /// Throws `unauthorized` if no account can be created, and says what the operator can do.
    func grant(_ token: SignedToken) async throws -> Grant? {
        guard let keyID = token.keyID, let key = await keys.key(keyID), token.isSigned(by: key),
            token.isValid(
                issuer: issuer, audience: audience, now: clock.now(), early: Self.leeway, late: Self.leeway),
            let text = token.claims["sub"]?.string, Subject.isValid(text)
        else { return nil }
        let subject = ExactText(text)
        var user = try await store.read(.accounts) { try linked(to: subject, $0) }
        if user == nil { user = try await account(for: subject, token.claims) }
        return Caller(user, credential: ExactText("identity:\(subject)")).map {
            Grant(caller: $0, expiresAt: token.expiresAt?.advanced(by: Self.leeway))
        }
    }

    private func linked(to subject: ExactText, _ transaction: any ReadTransaction) throws -> User? {
        try transaction.userID(issuer: issuer, subject: subject).flatMap { try transaction.user(id: $0) }
    }

    /// Creates the account and its link in one transaction, so two simultaneous first requests create one account.
    private func account(for subject: ExactText, _ claims: JSON) async throws -> User {
        let username = Username.normal(claims[usernameClaim]?.string ?? subject.rawValue)
        guard AccountNaming.isValid(username.rawValue) else { throw Problem.unusableName(usernameClaim) }
        let displayName =
            claims["name"]?.string.flatMap { try? AccountNaming.displayName($0) } ?? username.rawValue
        let now = clock.now()
        return try await store.write(.accounts) { transaction in
            if let user = try linked(to: subject, transaction) { return user }
            if let other = try transaction.user(folded: Username.folded(username.rawValue)) {
                throw Problem.takenName(other.username, issuer: issuer, subject: subject)
            }
            let user = try transaction.createUser(
                username: username, displayName: displayName, isSuperuser: false, at: now)
            try transaction.link(issuer: issuer, subject: subject, to: user.id)
            return user
        }
    }
}

extension Problem {
    fileprivate static func unusableName(_ claim: String) -> Problem {
        Problem(
            .unauthorized,
            "The token's \(claim) is not a valid user name. The operator can set TIDEMARK_IDENTITY_USERNAME_CLAIM.")
    }

    fileprivate static func takenName(_ username: ExactText, issuer: ExactText, subject: ExactText) -> Problem {
        let command =
            "tidemark user link \(username.rawValue.shellQuoted) --issuer \(issuer.rawValue.shellQuoted) "
            + "--subject \(subject.rawValue.shellQuoted)"
        return Problem(
            .unauthorized,
            "There is already an account \(username), with this name or one too similar, and this identity is "
                + "not linked to. The operator can: \(command)")
    }
}

extension String {
    /// Quoted as one word of a shell command.
    fileprivate var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}

/// The outside issuer's id of a user. OpenID Connect Core section 2 allows at most 255 characters.
enum Subject {
    static func isValid(_ text: String) -> Bool { (1...255).contains(text.utf8.count) && !text.utf8.contains(0) }
}
