/// The tables that only this engine has, and settings of tables that are written often.
enum OwnTables {
    /// The columns that only this engine has, by table.
    static let columns = ["tidemark_projects": ["changes"]]

    static let statements =
        [
            // Counts transactions that changed anything of the project. See `Marker`.
            "ALTER TABLE tidemark_projects ADD COLUMN IF NOT EXISTS changes BIGINT NOT NULL DEFAULT 0",
            // Commits that have no number yet. See `Numbering`.
            "CREATE SEQUENCE IF NOT EXISTS tidemark_commit_order",
            """
            CREATE TABLE IF NOT EXISTS tidemark_new_commits (
              place BIGINT NOT NULL,
              project_id TEXT COLLATE "C" NOT NULL,
              sync_seq BIGINT NOT NULL,
              at BIGINT NOT NULL,
              audiences TEXT NOT NULL,
              changes_sight SMALLINT NOT NULL,
              PRIMARY KEY (project_id, sync_seq)
            )
            """,
            // See `Receipt`.
            """
            CREATE TABLE IF NOT EXISTS tidemark_receipts (
              at BIGINT NOT NULL,
              id BIGINT NOT NULL,
              is_commit SMALLINT NOT NULL,
              asked BIGINT NOT NULL DEFAULT 0,
              PRIMARY KEY (at, id)
            )
            """,
            SharedThrottle.table,
        ] + Home.tables + hot.map { "ALTER TABLE tidemark_\($0) SET (fillfactor = 50, \(vacuum))" }

    /// The columns that databases of older versions lack. A server of such a version does not name them.
    static let gained = ["sent", "sent_at"].map {
        "ALTER TABLE tidemark_devices ADD COLUMN IF NOT EXISTS \($0) BIGINT"
    }

    /// Their rows change with every commit. With room on the page, an update touches no index:
    /// https://www.postgresql.org/docs/15/storage-hot.html
    private static let hot = ["projects", "row_counts", "digests", "account_changes", "nodes"]
    private static let vacuum = """
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
        """
}
