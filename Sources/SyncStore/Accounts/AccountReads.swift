package import SyncProtocol

/// What can be asked about accounts and their credentials.
package protocol AccountReads {
    func user(id: Int64) throws -> User?
    func user(named username: ExactText) throws -> User?
    /// The first user whose name has this folded form; see `Username.folded`.
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
