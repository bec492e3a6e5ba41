package import SyncProtocol
package import SyncStore

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
