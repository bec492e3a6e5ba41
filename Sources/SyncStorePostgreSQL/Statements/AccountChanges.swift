/// Counts changes that may take something from an account. Triggers do it, so no statement can bypass it:
/// https://www.postgresql.org/docs/15/plpgsql-trigger.html
enum AccountChanges {
    static let question = "SELECT count FROM tidemark_account_changes"

    static let statements =
        [
            """
            CREATE TABLE IF NOT EXISTS tidemark_account_changes (
              id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
              count BIGINT NOT NULL
            )
            """,
            "INSERT INTO tidemark_account_changes (id, count) VALUES (1, 0) ON CONFLICT DO NOTHING",
            """
            CREATE OR REPLACE FUNCTION tidemark_count_account_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE tidemark_account_changes SET count = count + 1;
              RETURN NULL;
            END
            $$
            """,
        ] + triggers

    /// Additions don't count, because nil was never cached. A session's new
    /// expiry doesn't count either, because an access token carries its own.
    private static let triggers = [
        ("users", "UPDATE OR DELETE"), ("tokens", "UPDATE OR DELETE"),
        ("sessions", "UPDATE OF id, user_id OR DELETE"),
    ].map { table, events in
        """
        CREATE OR REPLACE TRIGGER tidemark_\(table)_changes AFTER \(events) ON tidemark_\(table)
        FOR EACH ROW EXECUTE FUNCTION tidemark_count_account_change()
        """
    }
}
