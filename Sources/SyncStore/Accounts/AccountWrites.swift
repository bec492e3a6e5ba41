package import SyncProtocol

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
