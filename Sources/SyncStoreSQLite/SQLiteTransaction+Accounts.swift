import GRDB
import SyncEngine
import SyncProtocol

extension SQLiteTransaction {
    private static let userColumns = "SELECT id, username, display_name, is_superuser, is_disabled FROM tidemark_users"

    func user(id: Int64) throws -> User? {
        try row(SQLiteTransaction.userColumns + " WHERE id = ?1", [id]).map(User.init(row:))
    }

    func user(named username: String) throws -> User? {
        try row(SQLiteTransaction.userColumns + " WHERE username = ?1", [username]).map(User.init(row:))
    }

    func users() throws -> [User] {
        try rows(SQLiteTransaction.userColumns + " ORDER BY username", []).map(User.init(row:))
    }

    func createUser(username: String, displayName: String, isSuperuser: Bool, at: Timestamp) throws -> User {
        let created = try row(
            """
            INSERT INTO tidemark_users (username, display_name, is_superuser, created_at) VALUES (?1, ?2, ?3, ?4)
            RETURNING id, username, display_name, is_superuser, is_disabled
            """, [username, displayName, isSuperuser, at.text])
        return User(row: created!)
    }

    func disableUser(id: Int64) throws {
        try execute("UPDATE tidemark_users SET is_disabled = 1 WHERE id = ?1", [id])
    }

    func token(hash: String) throws -> StoredToken? {
        try row("SELECT user_id, is_read_only, expires_at FROM tidemark_tokens WHERE hash = ?1", [hash]).map {
            StoredToken(
                userID: $0[0], isReadOnly: $0[1], expiresAt: ($0[2] as Int64?).map(Timestamp.init(milliseconds:)))
        }
    }

    func createToken(_ token: StoredToken, hash: String, name: String, at: Timestamp) throws {
        try execute(
            """
            INSERT INTO tidemark_tokens (hash, user_id, name, is_read_only, expires_at, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, [hash, token.userID, name, token.isReadOnly, token.expiresAt?.milliseconds, at.milliseconds])
    }

    func secret(_ name: String) throws -> String? {
        try row("SELECT value FROM tidemark_settings WHERE name = 'secret_' || ?1", [name])?[0]
    }

    func setSecret(_ name: String, _ value: String) throws {
        try execute("INSERT INTO tidemark_settings (name, value) VALUES ('secret_' || ?1, ?2)", [name, value])
    }
}

extension User {
    fileprivate init(row: Row) {
        self.init(id: row[0], username: row[1], displayName: row[2], isSuperuser: row[3], isDisabled: row[4])
    }
}
