import Foundation
package import SyncProtocol

/// Reads accounts and their credentials. If nothing matches, the result is nil, false or an empty array. Names, issuers
/// and subjects are compared byte by byte.
package protocol AccountReads {
    func user(id: Int64) throws -> User?
    func user(named username: ExactText) throws -> User?
    /// The users whose names have this folded form, sorted by id, at most two; see `Username.folded`. Several can have
    /// it in a database that is older than the rule against similar names.
    func users(folded name: ExactText) throws -> [User]
    /// All users, sorted by the bytes of their names.
    func users() throws -> [User]
    /// At most `limit` users of the scope whose id is greater than `after`, sorted by id.
    func users(_ scope: UserScope, after: Int64, limit: Int) throws -> [User]
    /// Whether both users are members of at least one live project.
    func shareProject(_ user: Int64, _ other: Int64) throws -> Bool
    /// The highest role of the user in any live project; nil if the user is a member of none.
    func highestRole(of user: Int64) throws -> Role?
    /// The user's password hash in PHC string format; nil if the account has no password.
    func passwordHash(of user: Int64) throws -> String?
    /// The account that is linked to the identity of an outside issuer.
    func userID(issuer: ExactText, subject: ExactText) throws -> Int64?

    /// The token whose secret has this SHA-256 hash (hex). Expired tokens are returned too.
    func token(hash: String) throws -> StoredToken?
    /// At most `limit` tokens of the user whose id is greater than `after`, sorted by id. Expired tokens are included.
    func tokens(of user: Int64, after: Int64, limit: Int) throws -> [StoredToken]
    /// The session with that id. Ended sessions are deleted, so the
    /// result for them is nil. An expired session may still be there.
    func session(_ id: String) throws -> StoredSession?
    /// The user's sessions, oldest first, ties by id. Expired sessions may still be among them.
    func sessions(of user: Int64) throws -> [StoredSession]
    /// The refresh token whose secret has this SHA-256 hash (hex). Used and expired tokens may still be there.
    func refreshToken(hash: String) throws -> StoredRefreshToken?
    /// The ticket whose secret has this SHA-256 hash (hex). Used tickets are deleted; an expired one may be there.
    func ticket(hash: String) throws -> StoredTicket?
}

extension AccountReads {
    /// The user with the lowest id whose name has this folded form.
    package func user(folded name: ExactText) throws -> User? { try users(folded: name).first }
}

/// Changes accounts and their credentials, inside a write. A change of a user, session or token that does not exist
/// does nothing. Hashes are SHA-256 in hex.
package protocol AccountWrites {
    /// Creates an account without a password, under an id that was
    /// never used before. The caller has checked that the name is free.
    func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Instant) throws -> User
    func setDisabled(_ isDisabled: Bool, user: Int64) throws
    func setDisplayName(_ name: String, user: Int64) throws
    /// Replaces the user's password hash (PHC string format). Nil removes the password.
    func setPasswordHash(_ hash: String?, user: Int64) throws
    /// Links an outside identity to the account, and unlinks it from any other. An account can have several identities.
    func link(issuer: ExactText, subject: ExactText, to user: Int64) throws

    /// Stores a token under an id that was never used before, not even by a deleted token.
    func createToken(_ token: NewToken, hash: String) throws -> StoredToken
    /// Returns false if the user has no token with that id.
    func deleteToken(_ id: Int64, of user: Int64) throws -> Bool

    func createTicket(_ ticket: StoredTicket, hash: String) throws
    /// Deletes the ticket, so nobody can use it again.
    func deleteTicket(hash: String) throws
    /// Deletes tickets that expired before `date`. A store may delete only some of them in one call.
    func forgetTickets(before date: Instant) throws

    func createSession(_ session: StoredSession) throws
    /// Adds a refresh token to its session, and sets the session's expiry to the token's.
    func createRefreshToken(_ token: StoredRefreshToken, hash: String) throws
    /// Marks a refresh token as used at `date`. It stays stored until `expiry`, which becomes its own.
    func rotateRefreshToken(hash: String, at date: Instant, keptUntil expiry: Instant) throws
    /// Ends a session: deletes it and all its refresh tokens.
    func deleteSession(_ id: String) throws
    /// Ends all sessions of the user.
    func deleteSessions(of user: Int64) throws
    /// Deletes sessions and refresh tokens that expired before
    /// `date`. A store may delete only some of them in one call.
    func forgetSessions(before date: Instant) throws
}

/// An account.
package struct User: Sendable, Equatable {
    package let id: Int64
    package let username: ExactText
    package var displayName: String
    package let isSuperuser: Bool
    package var isDisabled: Bool

    package init(id: Int64, username: ExactText, displayName: String, isSuperuser: Bool, isDisabled: Bool) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.isSuperuser = isSuperuser
        self.isDisabled = isDisabled
    }
}

/// Which users a query returns.
package enum UserScope: Sendable, Equatable {
    case everyone
    /// The user, and all members of the live projects that this user is a member of. Former members don't count.
    case sharing(with: Int64)
    /// The present members of the project.
    case members(of: String)
}

/// The forms in which user names are compared.
package enum Username {
    /// The name in normal form C (Unicode Standard Annex 15).
    package static func normal(_ text: String) -> ExactText { ExactText(text.precomposedStringWithCanonicalMapping) }

    /// Returns the same text for names that differ only in upper and lower case, or in how their letters are composed.
    package static func folded(_ name: String) -> ExactText {
        normal(normal(name).rawValue.uppercased().lowercased())
    }
}

/// A personal access token before it is stored.
package struct NewToken: Sendable, Equatable {
    package let userID: Int64
    package let name: String
    package let isReadOnly: Bool
    package let createdAt: Instant
    /// Nil if the token never expires.
    package let expiresAt: Instant?

    package init(userID: Int64, name: String, isReadOnly: Bool, createdAt: Instant, expiresAt: Instant?) {
        self.userID = userID
        self.name = name
        self.isReadOnly = isReadOnly
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A personal access token without its secret. Only the secret's SHA-256 is stored.
package struct StoredToken: Sendable, Equatable {
    package let id: Int64
    package let content: NewToken

    package init(id: Int64, _ content: NewToken) {
        self.id = id
        self.content = content
    }
}

/// A refresh token without its secret. Only the secret's SHA-256 is stored.
package struct StoredRefreshToken: Sendable, Equatable {
    package let sessionID: String
    package let expiresAt: Instant
    /// Whether it was used. If it is presented again, either the
    /// client lost the answer or somebody has stolen the token.
    package var isRotated: Bool
    /// When it was used. Nil if it was not used, and if an older version of the server recorded the use.
    package var rotatedAt: Instant?

    package init(sessionID: String, expiresAt: Instant, isRotated: Bool = false, rotatedAt: Instant? = nil) {
        self.sessionID = sessionID
        self.expiresAt = expiresAt
        self.isRotated = isRotated
        self.rotatedAt = rotatedAt
    }
}

/// A login with all its refresh tokens. They are valid together and end together.
package struct StoredSession: Sendable, Equatable {
    package let id: String
    package let userID: Int64
    package let createdAt: Instant
    /// When the newest refresh token expires.
    package var expiresAt: Instant

    package init(id: String, userID: Int64, createdAt: Instant, expiresAt: Instant) {
        self.id = id
        self.userID = userID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A ticket without its secret: it stands for a credential once, for a short time.
package struct StoredTicket: Sendable, Equatable {
    package let userID: Int64
    /// The credential that asked for the ticket, as `Caller` names it.
    package let credential: ExactText
    package let isReadOnly: Bool
    /// When the credential's token expires; nil if never.
    package let tokenExpiresAt: Instant?
    /// When the ticket itself can't be used any more.
    package let expiresAt: Instant

    package init(
        userID: Int64, credential: ExactText, isReadOnly: Bool, tokenExpiresAt: Instant?, expiresAt: Instant
    ) {
        self.userID = userID
        self.credential = credential
        self.isReadOnly = isReadOnly
        self.tokenExpiresAt = tokenExpiresAt
        self.expiresAt = expiresAt
    }
}
