/// Counts what may take something from an account, in the file itself, so that commands beside the server count too. By
/// triggers, which no statement gets past: https://sqlite.org/lang_createtrigger.html
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

    /// What is new was never remembered, and a session's expiry is the client's own knowledge: these count for nothing.
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
