import GRDB
import SyncProtocol
import SyncStore

// MARK: Personal access tokens

extension SQLiteTransaction {
    private static let tokenColumns = "id, user_id, name, is_read_only, created_at, expires_at"

    func token(hash: String) throws -> StoredToken? {
        let sql = "SELECT \(SQLiteTransaction.tokenColumns) FROM tidemark_tokens WHERE hash = ?1"
        return try db.first(sql, [.string(hash)], StoredToken.init)
    }

    func tokens(of user: Int64, after: Int64, limit: Int) throws -> [StoredToken] {
        let sql = """
            SELECT \(SQLiteTransaction.tokenColumns) FROM tidemark_tokens
            WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3
            """
        return try db.all(sql, [.int(user), .int(after), .int(Int64(limit))], StoredToken.init)
    }

    func createToken(_ token: NewToken, hash: String) throws -> StoredToken {
        try db.first(
            """
            INSERT INTO tidemark_tokens (hash, user_id, name, is_read_only, created_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING \(SQLiteTransaction.tokenColumns)
            """,
            [
                .string(hash), .int(token.userID), .string(token.name), .bool(token.isReadOnly),
                .int(token.createdAt.milliseconds), token.expiresAt.map { .int($0.milliseconds) } ?? .null,
            ], StoredToken.init)!
    }

    func deleteToken(_ id: Int64, of user: Int64) throws -> Bool {
        try execute("DELETE FROM tidemark_tokens WHERE id = ?1 AND user_id = ?2", [id, user])
        return db.changesCount > 0
    }
}

// MARK: Sessions

extension SQLiteTransaction {
    private static let sessionColumns = "SELECT id, user_id, created_at, expires_at FROM tidemark_sessions"

    func session(_ id: String) throws -> StoredSession? {
        try db.first(SQLiteTransaction.sessionColumns + " WHERE id = ?1", [.string(id)], StoredSession.init)
    }

    func sessions(of user: Int64) throws -> [StoredSession] {
        let sql = SQLiteTransaction.sessionColumns + " WHERE user_id = ?1 ORDER BY created_at, id"
        return try db.all(sql, [.int(user)], StoredSession.init)
    }

    func refreshToken(hash: String) throws -> StoredRefreshToken? {
        let sql = "SELECT session_id, expires_at, is_rotated, rotated_at FROM tidemark_refresh_tokens WHERE hash = ?1"
        return try db.first(sql, [.string(hash)]) {
            StoredRefreshToken(
                sessionID: $0.string(0), expiresAt: Instant(milliseconds: $0.integer(1)),
                isRotated: $0.integer(2) != 0,
                rotatedAt: $0.isNull(3) ? nil : Instant(milliseconds: $0.integer(3)))
        }
    }

    func createSession(_ session: StoredSession) throws {
        try execute(
            "INSERT INTO tidemark_sessions (id, user_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
            [session.id, session.userID, session.createdAt.milliseconds, session.expiresAt.milliseconds])
    }

    func createRefreshToken(_ token: StoredRefreshToken, hash: String) throws {
        let expiry = token.expiresAt.milliseconds
        try execute(
            "INSERT INTO tidemark_refresh_tokens (hash, session_id, expires_at, is_rotated) VALUES (?1, ?2, ?3, ?4)",
            [hash, token.sessionID, expiry, token.isRotated])
        try execute("UPDATE tidemark_sessions SET expires_at = ?2 WHERE id = ?1", [token.sessionID, expiry])
    }

    func rotateRefreshToken(hash: String, at date: Instant) throws {
        try execute(
            "UPDATE tidemark_refresh_tokens SET is_rotated = 1, rotated_at = ?2 WHERE hash = ?1",
            [hash, date.milliseconds])
    }

    func deleteSession(_ id: String) throws {
        try execute("DELETE FROM tidemark_sessions WHERE id = ?1", [id])
    }

    func deleteSessions(of user: Int64) throws {
        try execute("DELETE FROM tidemark_sessions WHERE user_id = ?1", [user])
    }

    func forgetSessions(before date: Instant) throws {
        try execute(
            """
            DELETE FROM tidemark_refresh_tokens WHERE hash IN (
              SELECT hash FROM tidemark_refresh_tokens WHERE expires_at < ?1 LIMIT 100)
            """, [date.milliseconds])
        try execute(
            """
            DELETE FROM tidemark_sessions WHERE id IN (
              SELECT id FROM tidemark_sessions WHERE expires_at < ?1 LIMIT 10)
            """, [date.milliseconds])
    }
}

extension StoredSession {
    fileprivate init(_ row: RawRows) {
        self.init(
            id: row.string(0), userID: row.integer(1), createdAt: Instant(milliseconds: row.integer(2)),
            expiresAt: Instant(milliseconds: row.integer(3)))
    }
}

extension StoredToken {
    fileprivate init(_ row: RawRows) {
        self.init(
            id: row.integer(0),
            NewToken(
                userID: row.integer(1), name: row.string(2), isReadOnly: row.integer(3) != 0,
                createdAt: Instant(milliseconds: row.integer(4)),
                expiresAt: row.isNull(5) ? nil : Instant(milliseconds: row.integer(5))))
    }
}
