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
