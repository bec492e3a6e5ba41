package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    private static var userColumns: String {
        "SELECT id, username, display_name, is_superuser, is_disabled FROM tidemark_users"
    }

    /// Selects what `User` reads of the user `?1`.
    package static var userByID: String { userColumns + " WHERE id = ?1" }

    package func user(id: Int64) throws -> User? { try first(Self.userByID, [.int(id)]) { User($0) } }

    /// SQLite reads a bound text only up to its first NUL, so it would find another name.
    package func user(named username: ExactText) throws -> User? {
        guard !username.rawValue.utf8.contains(0) else { return nil }
        let sql = Self.userColumns + " WHERE username = ?1"
        return try first(sql, [.string(username.rawValue)]) { User($0) }
    }

    package func users(folded name: ExactText) throws -> [User] {
        guard !name.rawValue.utf8.contains(0) else { return [] }
        let sql = Self.userColumns + " WHERE folded_name = ?1 ORDER BY id LIMIT 2"
        return try all(sql, [.string(name.rawValue)]) { User($0) }
    }

    package func users() throws -> [User] {
        try all(Self.userColumns + " ORDER BY username", []) { User($0) }
    }

    package func users(_ scope: UserScope, after: Int64, limit: Int) throws -> [User] {
        let query = UserQuery(scope)
        return try all(
            Self.userColumns + query.condition + " ORDER BY id LIMIT ?2",
            [.int(after), .int(Int64(limit))] + query.values
        ) { User($0) }
    }

    package func shareProject(_ user: Int64, _ other: Int64) throws -> Bool {
        try first("SELECT 1 WHERE ?2 IN (\(UserQuery.sharing(with: "?1")))", [.int(user), .int(other)]) { _ in true }
            ?? false
    }

    package func highestRole(of user: Int64) throws -> Role? {
        let sql = """
            SELECT MAX(a.role) FROM tidemark_access a JOIN tidemark_projects p ON p.id = a.project_id
            WHERE a.user_id = ?1 AND p.is_deleted = 0
            """
        return try first(sql, [.int(user)]) { Role(rawValue: Int($0.integer(0))) } ?? nil
    }

    package func passwordHash(of user: Int64) throws -> String? {
        try first("SELECT password_hash FROM tidemark_users WHERE id = ?1", [.int(user)]) {
            $0.optionalString(0)
        } ?? nil
    }

    package func userID(issuer: ExactText, subject: ExactText) throws -> Int64? {
        let sql = "SELECT user_id FROM tidemark_identities WHERE issuer = ?1 AND subject = ?2"
        return try first(sql, [.string(issuer.rawValue), .string(subject.rawValue)]) { $0.integer(0) }
    }

    package func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Instant) throws -> User {
        try first(
            """
            INSERT INTO tidemark_users (username, display_name, is_superuser, created_at, folded_name)
            VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id, username, display_name, is_superuser, is_disabled
            """,
            [
                .string(username.rawValue), .string(displayName), .bool(isSuperuser), .string(at.text),
                .string(Username.folded(username.rawValue).rawValue),
            ]
        ) { User($0) }!
    }

    package func setDisabled(_ isDisabled: Bool, user: Int64) throws {
        try run("UPDATE tidemark_users SET is_disabled = ?2 WHERE id = ?1", [.int(user), .bool(isDisabled)])
    }

    package func setDisplayName(_ name: String, user: Int64) throws {
        try run("UPDATE tidemark_users SET display_name = ?2 WHERE id = ?1", [.int(user), .string(name)])
    }

    package func setPasswordHash(_ hash: String?, user: Int64) throws {
        try run(
            "UPDATE tidemark_users SET password_hash = ?2 WHERE id = ?1", [.int(user), hash.map(JSON.string) ?? .null])
    }

    package func link(issuer: ExactText, subject: ExactText, to user: Int64) throws {
        try run(
            """
            INSERT INTO tidemark_identities (issuer, subject, user_id) VALUES (?1, ?2, ?3)
            ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id
            """, [.string(issuer.rawValue), .string(subject.rawValue), .int(user)])
    }
}

extension User {
    /// Reads a row with the columns of `SQLTransaction.userByID`.
    package init(_ row: some SQLRow) {
        self.init(
            id: row.integer(0), username: ExactText(row.string(1)), displayName: row.string(2),
            isSuperuser: row.integer(3) != 0,
            isDisabled: row.integer(4) != 0)
    }
}

/// Selects the users of a scope. `?1` is the id to begin after, `?2` the greatest number of rows.
package struct UserQuery {
    package let condition: String
    /// The values of `?3` and the following.
    package let values: [JSON]

    package init(_ scope: UserScope) {
        switch scope {
        case .everyone: (condition, values) = (" WHERE id > ?1", [])
        case .sharing(let user):
            condition = " WHERE id > ?1 AND id IN (\(UserQuery.sharing(with: "?3")) UNION SELECT ?3)"
            values = [.int(user)]
        case .members(let project):
            condition = """
                 WHERE id IN (
                  SELECT user_id FROM tidemark_access WHERE project_id = ?3 AND user_id > ?1 AND role IS NOT NULL)
                """
            values = [.string(project)]
        }
    }

    /// Selects the ids of all present members of the live projects that `user` is a member of.
    package static func sharing(with user: String) -> String {
        """
        SELECT other.user_id FROM tidemark_access mine
        JOIN tidemark_projects p ON p.id = mine.project_id AND p.is_deleted = 0
        JOIN tidemark_access other ON other.project_id = mine.project_id AND other.role IS NOT NULL
        WHERE mine.user_id = \(user) AND mine.role IS NOT NULL
        """
    }
}

// MARK: Personal access tokens

extension SQLTransaction {
    private static var tokenColumns: String { "id, user_id, name, is_read_only, created_at, expires_at" }

    package func token(hash: String) throws -> StoredToken? {
        let sql = "SELECT \(Self.tokenColumns) FROM tidemark_tokens WHERE hash = ?1"
        return try first(sql, [.string(hash)]) { StoredToken($0) }
    }

    package func tokens(of user: Int64, after: Int64, limit: Int) throws -> [StoredToken] {
        let sql = """
            SELECT \(Self.tokenColumns) FROM tidemark_tokens
            WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3
            """
        return try all(sql, [.int(user), .int(after), .int(Int64(limit))]) { StoredToken($0) }
    }

    package func createToken(_ token: NewToken, hash: String) throws -> StoredToken {
        try first(
            """
            INSERT INTO tidemark_tokens (hash, user_id, name, is_read_only, created_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING \(Self.tokenColumns)
            """,
            [
                .string(hash), .int(token.userID), .string(token.name), .bool(token.isReadOnly),
                .int(token.createdAt.milliseconds), token.expiresAt.map { .int($0.milliseconds) } ?? .null,
            ]
        ) { StoredToken($0) }!
    }

    package func deleteToken(_ id: Int64, of user: Int64) throws -> Bool {
        try change("DELETE FROM tidemark_tokens WHERE id = ?1 AND user_id = ?2", [.int(id), .int(user)]) > 0
    }
}

// MARK: Tickets

extension SQLTransaction {
    package func ticket(hash: String) throws -> StoredTicket? {
        let sql = """
            SELECT user_id, credential, is_read_only, token_expires_at, expires_at FROM tidemark_tickets WHERE hash = ?1
            """
        return try first(sql, [.string(hash)]) {
            StoredTicket(
                userID: $0.integer(0), credential: ExactText($0.string(1)), isReadOnly: $0.integer(2) != 0,
                tokenExpiresAt: $0.optionalInstant(3), expiresAt: $0.instant(4))
        }
    }

    package func createTicket(_ ticket: StoredTicket, hash: String) throws {
        try run(
            """
            INSERT INTO tidemark_tickets (hash, user_id, credential, is_read_only, token_expires_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """,
            [
                .string(hash), .int(ticket.userID), .string(ticket.credential.rawValue), .bool(ticket.isReadOnly),
                ticket.tokenExpiresAt.map { .int($0.milliseconds) } ?? .null, .int(ticket.expiresAt.milliseconds),
            ])
    }

    package func deleteTicket(hash: String) throws {
        try run("DELETE FROM tidemark_tickets WHERE hash = ?1", [.string(hash)])
    }

    package func forgetTickets(before date: Instant) throws {
        try run(
            """
            DELETE FROM tidemark_tickets WHERE hash IN (
              SELECT hash FROM tidemark_tickets WHERE expires_at < ?1 LIMIT 100)
            """, [.int(date.milliseconds)])
    }
}

// MARK: Sessions

extension SQLTransaction {
    private static var sessionColumns: String { "SELECT id, user_id, created_at, expires_at FROM tidemark_sessions" }

    package func session(_ id: String) throws -> StoredSession? {
        try first(Self.sessionColumns + " WHERE id = ?1", [.string(id)]) { StoredSession($0) }
    }

    package func sessions(of user: Int64) throws -> [StoredSession] {
        let sql = Self.sessionColumns + " WHERE user_id = ?1 ORDER BY created_at, id"
        return try all(sql, [.int(user)]) { StoredSession($0) }
    }

    package func refreshToken(hash: String) throws -> StoredRefreshToken? {
        let sql = "SELECT session_id, expires_at, is_rotated, rotated_at FROM tidemark_refresh_tokens WHERE hash = ?1"
        return try first(sql, [.string(hash)]) {
            StoredRefreshToken(
                sessionID: $0.string(0), expiresAt: $0.instant(1),
                isRotated: $0.integer(2) != 0,
                rotatedAt: $0.optionalInstant(3))
        }
    }

    package func createSession(_ session: StoredSession) throws {
        try run(
            "INSERT INTO tidemark_sessions (id, user_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
            [
                .string(session.id), .int(session.userID), .int(session.createdAt.milliseconds),
                .int(session.expiresAt.milliseconds),
            ])
    }

    package func createRefreshToken(_ token: StoredRefreshToken, hash: String) throws {
        let expiry = token.expiresAt.milliseconds
        try run(
            "INSERT INTO tidemark_refresh_tokens (hash, session_id, expires_at, is_rotated) VALUES (?1, ?2, ?3, ?4)",
            [.string(hash), .string(token.sessionID), .int(expiry), .bool(token.isRotated)])
        try run("UPDATE tidemark_sessions SET expires_at = ?2 WHERE id = ?1", [.string(token.sessionID), .int(expiry)])
    }

    package func rotateRefreshToken(hash: String, at date: Instant, keptUntil expiry: Instant) throws {
        try run(
            "UPDATE tidemark_refresh_tokens SET is_rotated = 1, rotated_at = ?2, expires_at = ?3 WHERE hash = ?1",
            [.string(hash), .int(date.milliseconds), .int(expiry.milliseconds)])
    }

    package func deleteSession(_ id: String) throws {
        try run("DELETE FROM tidemark_sessions WHERE id = ?1", [.string(id)])
    }

    package func deleteSessions(of user: Int64) throws {
        try run("DELETE FROM tidemark_sessions WHERE user_id = ?1", [.int(user)])
    }

    package func forgetSessions(before date: Instant) throws {
        try run(
            """
            DELETE FROM tidemark_refresh_tokens WHERE hash IN (
              SELECT hash FROM tidemark_refresh_tokens WHERE expires_at < ?1 LIMIT 100)
            """, [.int(date.milliseconds)])
        try run(
            """
            DELETE FROM tidemark_sessions WHERE id IN (
              SELECT id FROM tidemark_sessions WHERE expires_at < ?1 LIMIT 10)
            """, [.int(date.milliseconds)])
    }
}

extension StoredSession {
    fileprivate init(_ row: some SQLRow) {
        self.init(
            id: row.string(0), userID: row.integer(1), createdAt: row.instant(2),
            expiresAt: row.instant(3))
    }
}

extension StoredToken {
    fileprivate init(_ row: some SQLRow) {
        self.init(
            id: row.integer(0),
            NewToken(
                userID: row.integer(1), name: row.string(2), isReadOnly: row.integer(3) != 0,
                createdAt: row.instant(4),
                expiresAt: row.optionalInstant(5)))
    }
}
