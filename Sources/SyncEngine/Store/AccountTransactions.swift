package import SyncProtocol

/// What can be asked about accounts and their credentials.
package protocol AccountReads {
    func user(id: Int64) throws -> User?
    func user(named username: ExactText) throws -> User?
    /// The first user whose name has this folded form; see `AccountNaming.folded`.
    func user(folded name: ExactText) throws -> User?
    func users() throws -> [User]
    /// Users of the scope by id, behind `after`.
    func users(_ scope: UserScope, after: Int64, limit: Int) throws -> [User]
    /// Whether both are members of one live project.
    func shareProject(_ user: Int64, _ other: Int64) throws -> Bool
    /// The highest role that the user has in any live project.
    func highestRole(of user: Int64) throws -> Role?
    /// The PHC text of the user's password; nil for an account without one.
    func passwordHash(of user: Int64) throws -> String?
    /// The account that an outside identity stands for.
    func userID(issuer: ExactText, subject: ExactText) throws -> Int64?

    /// The token whose SHA-256 (hex) this is.
    func token(hash: String) throws -> StoredToken?
    /// The user's tokens by id, behind `after`.
    func tokens(of user: Int64, after: Int64, limit: Int) throws -> [StoredToken]
    /// The session of that id, ended ones excepted: they are forgotten.
    func session(_ id: String) throws -> StoredSession?
    /// The user's sessions, the oldest first; expired ones may be among them.
    func sessions(of user: Int64) throws -> [StoredSession]
    /// The refresh token whose SHA-256 (hex) this is.
    func refreshToken(hash: String) throws -> StoredRefreshToken?
}

/// What a logical write can do to accounts and their credentials.
package protocol AccountWrites {
    func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Timestamp) throws -> User
    func setDisabled(_ isDisabled: Bool, user: Int64) throws
    func setDisplayName(_ name: String, user: Int64) throws
    /// Replaces the PHC text of the user's password; with nil the account has none.
    func setPasswordHash(_ hash: String?, user: Int64) throws
    /// Lets an outside identity stand for the account, and no other one.
    func link(issuer: ExactText, subject: ExactText, to user: Int64) throws

    /// Stores a token under a fresh id, which is never used again.
    func createToken(_ token: NewToken, hash: String) throws -> StoredToken
    /// False where the user has no such token.
    func deleteToken(_ id: Int64, of user: Int64) throws -> Bool

    func createSession(_ session: StoredSession) throws
    /// Adds a refresh token to its session, which then lasts as long as the token.
    func createRefreshToken(_ token: StoredRefreshToken, hash: String) throws
    /// Marks a refresh token as used at `date`.
    func rotateRefreshToken(hash: String, at date: Timestamp) throws
    /// Ends a session: it and all its refresh tokens are forgotten.
    func deleteSession(_ id: String) throws
    func deleteSessions(of user: Int64) throws
    /// Forgets sessions and refresh tokens that expired before `date`, some at a time.
    func forgetSessions(before date: Timestamp) throws
}
