import GRDB
import SyncProtocol
import SyncStore

extension SQLiteTransaction {
    private static let userColumns = "SELECT id, username, display_name, is_superuser, is_disabled FROM tidemark_users"

    func user(id: Int64) throws -> User? {
        try db.first(SQLiteTransaction.userColumns + " WHERE id = ?1", [.int(id)], User.init)
    }

    /// SQLite takes a bound text up to its first NUL, and so would find another name.
    func user(named username: ExactText) throws -> User? {
        guard !username.rawValue.utf8.contains(0) else { return nil }
        let sql = SQLiteTransaction.userColumns + " WHERE username = ?1"
        return try db.first(sql, [.string(username.rawValue)], User.init)
    }

    func user(folded name: ExactText) throws -> User? {
        guard !name.rawValue.utf8.contains(0) else { return nil }
        let sql = SQLiteTransaction.userColumns + " WHERE folded_name = ?1 ORDER BY id LIMIT 1"
        return try db.first(sql, [.string(name.rawValue)], User.init)
    }

    func users() throws -> [User] {
        try db.all(SQLiteTransaction.userColumns + " ORDER BY username", [], User.init)
    }

    func users(_ scope: UserScope, after: Int64, limit: Int) throws -> [User] {
        let query = UserQuery(scope)
        return try db.all(
            SQLiteTransaction.userColumns + query.condition + " ORDER BY id LIMIT ?2",
            [.int(after), .int(Int64(limit))] + query.values, User.init)
    }

    func shareProject(_ user: Int64, _ other: Int64) throws -> Bool {
        try db.first("SELECT 1 WHERE ?2 IN (\(UserQuery.sharing(with: "?1")))", [.int(user), .int(other)]) { _ in true }
            ?? false
    }

    func highestRole(of user: Int64) throws -> Role? {
        let sql = """
            SELECT MAX(a.role) FROM tidemark_access a JOIN tidemark_projects p ON p.id = a.project_id
            WHERE a.user_id = ?1 AND p.is_deleted = 0
            """
        return try db.first(sql, [.int(user)]) { Role(rawValue: Int($0.integer(0))) } ?? nil
    }

    func passwordHash(of user: Int64) throws -> String? {
        try db.first("SELECT password_hash FROM tidemark_users WHERE id = ?1", [.int(user)]) {
            $0.isNull(0) ? nil : $0.string(0)
        } ?? nil
    }

    func userID(issuer: ExactText, subject: ExactText) throws -> Int64? {
        let sql = "SELECT user_id FROM tidemark_identities WHERE issuer = ?1 AND subject = ?2"
        return try db.first(sql, [.string(issuer.rawValue), .string(subject.rawValue)]) { $0.integer(0) }
    }

    func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Instant) throws -> User {
        try db.first(
            """
            INSERT INTO tidemark_users (username, display_name, is_superuser, created_at, folded_name)
            VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id, username, display_name, is_superuser, is_disabled
            """,
            [
                .string(username.rawValue), .string(displayName), .bool(isSuperuser), .string(at.text),
                .string(Username.folded(username.rawValue).rawValue),
            ], User.init)!
    }

    func setDisabled(_ isDisabled: Bool, user: Int64) throws {
        try execute("UPDATE tidemark_users SET is_disabled = ?2 WHERE id = ?1", [user, isDisabled])
    }

    func setDisplayName(_ name: String, user: Int64) throws {
        try execute("UPDATE tidemark_users SET display_name = ?2 WHERE id = ?1", [user, name])
    }

    func setPasswordHash(_ hash: String?, user: Int64) throws {
        try execute("UPDATE tidemark_users SET password_hash = ?2 WHERE id = ?1", [user, hash])
    }

    func link(issuer: ExactText, subject: ExactText, to user: Int64) throws {
        try execute(
            """
            INSERT INTO tidemark_identities (issuer, subject, user_id) VALUES (?1, ?2, ?3)
            ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id
            """, [issuer.rawValue, subject.rawValue, user])
    }
}

/// Users of a scope: `?1` is the id behind which to begin, `?2` the most rows.
struct UserQuery {
    let condition: String
    /// From `?3` on.
    let values: [JSON]

    init(_ scope: UserScope) {
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

    /// The ids of all live members of the live projects that `user` is a live member of.
    static func sharing(with user: String) -> String {
        """
        SELECT other.user_id FROM tidemark_access mine
        JOIN tidemark_projects p ON p.id = mine.project_id AND p.is_deleted = 0
        JOIN tidemark_access other ON other.project_id = mine.project_id AND other.role IS NOT NULL
        WHERE mine.user_id = \(user) AND mine.role IS NOT NULL
        """
    }
}

extension User {
    fileprivate init(_ row: RawRows) {
        self.init(
            id: row.integer(0), username: ExactText(row.string(1)), displayName: row.string(2),
            isSuperuser: row.integer(3) != 0,
            isDisabled: row.integer(4) != 0)
    }
}
