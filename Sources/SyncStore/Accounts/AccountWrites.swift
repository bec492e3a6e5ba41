package import SyncProtocol

/// What a logical write can do to accounts and their credentials.
package protocol AccountWrites {
    func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Instant) throws -> User
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
    func rotateRefreshToken(hash: String, at date: Instant) throws
    /// Ends a session: it and all its refresh tokens are forgotten.
    func deleteSession(_ id: String) throws
    func deleteSessions(of user: Int64) throws
    /// Forgets sessions and refresh tokens that expired before `date`, some at a time.
    func forgetSessions(before date: Instant) throws
}
