/// Counts changes that may take something from an account. The count is in the file, so commands beside the server are
/// counted too. Triggers do it, so no statement can bypass it: https://sqlite.org/lang_createtrigger.html
enum AccountChanges {
    static let question = "SELECT count FROM tidemark_account_changes"

    static let statements =
        [
            """
            CREATE TABLE IF NOT EXISTS tidemark_account_changes (
              id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
              count INTEGER NOT NULL
            ) STRICT
            """,
            "INSERT OR IGNORE INTO tidemark_account_changes (id, count) VALUES (1, 0)",
        ] + triggers

    /// Additions don't count, because nil was never cached. A session's new
    /// expiry doesn't count either, because an access token carries its own.
    private static let triggers = [
        ("users", "UPDATE"), ("users", "DELETE"), ("tokens", "UPDATE"), ("tokens", "DELETE"),
        ("sessions", "UPDATE OF id, user_id"), ("sessions", "DELETE"),
    ].map { table, event in
        """
        CREATE TRIGGER IF NOT EXISTS tidemark_\(table)_\(event.prefix(6).lowercased())
        AFTER \(event) ON tidemark_\(table) BEGIN
          UPDATE tidemark_account_changes SET count = count + 1;
        END
        """
    }
}
