import SyncProtocol
package import SyncStore

/// Authenticates callers by a JSON Web Token of the outside issuer.
package struct OutsideIdentity<Store: SyncStore>: Sendable {
    /// Allowed because the clocks of two machines differ.
    private static var leeway: Duration { .seconds(60) }
    let issuer: ExactText
    private let audience: String
    private let usernameClaim: String
    /// Whether somebody who has no account gets one.
    private let makesAccounts: Bool
    private let keys: IssuerKeys
    private let store: Store
    private let clock: WallClock
    private let refusals: IdentityRefusals

    /// Throws an `IdentityError` for incomplete or contradictory settings.
    package init(
        _ settings: AccountSettings, keys: IssuerKeys, store: Store, clock: WallClock,
        refusals: IdentityRefusals = IdentityRefusals()
    ) throws {
        guard !settings.identityIssuer.isEmpty, !settings.identityAudience.isEmpty else {
            throw IdentityError("An outside identity needs all of issuer, audience and keys.")
        }
        guard ExactText(settings.identityIssuer) != AccessTokens.issuer else {
            throw IdentityError("\(AccessTokens.issuer) is the server's own issuer. Set the outside issuer.")
        }
        issuer = ExactText(settings.identityIssuer)
        audience = settings.identityAudience
        usernameClaim = settings.identityUsernameClaim
        makesAccounts = settings.identityAccounts != "known"
        self.keys = keys
        self.store = store
        self.clock = clock
        self.refusals = refusals
    }

    /// Nil for an invalid token, whose reason is noted, and for a disabled account. Creates the account when it first
    /// sees the identity.
    ///
    /// Throws `unauthorized` if no account can be created, and says what the operator can do.
    func grant(_ token: SignedToken) async throws -> Grant? {
        if let refusal = await refusal(of: token) {
            refusals.note(refusal, at: clock.now())
            return nil
        }
        let subject = ExactText(token.claims["sub"]?.string ?? "")
        var user = try await store.read(.accounts) { try linked(to: subject, $0) }
        if user == nil {
            do {
                user = try await account(for: subject, token.claims)
            } catch let problem as Problem where problem.code == .unauthorized {
                refusals.note(
                    makesAccounts
                        ? IdentityRefusal(
                            .name, claimed: (token.claims[usernameClaim] ?? token.claims["sub"])?.string,
                            expected: "a valid name that no other account has (\(usernameClaim))")
                        : IdentityRefusal(
                            .unknown, claimed: subject.rawValue, expected: "a subject that is linked to an account"),
                    at: clock.now())
                throw problem
            }
        }
        return Caller(user, credential: ExactText("identity:\(subject)")).map {
            Grant(caller: $0, expiresAt: token.expiresAt?.advanced(by: Self.leeway))
        }
    }

    /// Why the token is refused. What it says is told only if the issuer has signed it.
    private func refusal(of token: SignedToken) async -> IdentityRefusal? {
        guard let keyID = token.keyID, let key = await keys.key(keyID) else { return IdentityRefusal(.key) }
        guard token.isSigned(by: key) else { return IdentityRefusal(.signature) }
        let claims = token.claims
        let now = clock.now()
        let time = now.text
        switch token.fault(
            issuer: issuer, audience: audience, now: now, early: Self.leeway, late: Self.leeway)
        {
        case .issuer: return IdentityRefusal(.issuer, claimed: claims["iss"]?.text, expected: issuer.rawValue)
        case .audience: return IdentityRefusal(.audience, claimed: claims["aud"]?.text, expected: audience)
        case .expired: return IdentityRefusal(.expired, claimed: claims["exp"]?.text, expected: "after \(time)")
        case .notYet: return IdentityRefusal(.notYet, claimed: claims["nbf"]?.text, expected: "before \(time)")
        case nil: break
        }
        let subject = claims["sub"]
        guard let text = subject?.string, Subject.isValid(text) else {
            return IdentityRefusal(.subject, claimed: subject?.text, expected: "1 to 255 bytes")
        }
        return nil
    }

    private func linked(to subject: ExactText, _ transaction: any ReadTransaction) throws -> User? {
        try transaction.userID(issuer: issuer, subject: subject).flatMap { try transaction.user(id: $0) }
    }

    /// Creates the account and its link in one transaction, so two simultaneous first requests create one account.
    private func account(for subject: ExactText, _ claims: JSON) async throws -> User {
        guard makesAccounts else { throw Problem.unknownIdentity(issuer: issuer, subject: subject) }
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
    fileprivate static func unknownIdentity(issuer: ExactText, subject: ExactText) -> Problem {
        Problem(
            .unauthorized,
            "This server makes no accounts for people whom it does not know. The operator can add one, and then: "
                + linking("NAME", issuer: issuer, subject: subject))
    }

    /// The command that links an identity to an account.
    private static func linking(_ name: String, issuer: ExactText, subject: ExactText) -> String {
        "tidemark user link \(name) --issuer \(issuer.rawValue.shellQuoted) --subject \(subject.rawValue.shellQuoted)"
    }

    fileprivate static func unusableName(_ claim: String) -> Problem {
        Problem(
            .unauthorized,
            "The token's \(claim) is not a valid user name. The operator can set TIDEMARK_IDENTITY_USERNAME_CLAIM.")
    }

    fileprivate static func takenName(_ username: ExactText, issuer: ExactText, subject: ExactText) -> Problem {
        let command = linking(username.rawValue.shellQuoted, issuer: issuer, subject: subject)
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
