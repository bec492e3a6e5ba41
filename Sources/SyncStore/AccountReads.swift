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
