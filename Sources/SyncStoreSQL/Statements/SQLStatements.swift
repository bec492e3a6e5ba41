import SyncStore

/// Statements that differ between dialects, made once for each store.
package final class SQLStatements: Sendable {
    let addDigest: String
    let trimInbox: String
    let trimChanges: String
    let trimAnswers: String
    let raiseHistoryFloor: String
    let number: String
    let devices: DeviceSQL
    /// The greatest number that is used: of a commit, a counter or a jump.
    let topNumber: String
    private let dialect: any SQLDialect

    package init(_ dialect: any SQLDialect) {
        self.dialect = dialect
        devices = DeviceSQL(dialect)
        let numbers = dialect.greatest("(\(Self.counterBase))", "(\(Self.newestNumber))")
        topNumber = "SELECT \(dialect.greatest(numbers, "COALESCE(MAX(head), 0)")) FROM tidemark_projects"
        addDigest = """
            UPDATE tidemark_digests SET live = live + ?4, bits = \(dialect.exclusiveOr("bits", "?5"))
            WHERE project_id = ?1 AND audience = ?2 AND collection = ?3
            """
        // Each entry counts with all that are newer.
        trimInbox = """
            DELETE FROM tidemark_inbox WHERE user_id = ?1 AND project_id = ?2 AND id <= (
              SELECT MAX(id) FROM (
                SELECT id, SUM(256 + \(dialect.bytes(of: "sent")) + \(dialect.bytes(of: "kept")))
                  OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) AS total
                FROM tidemark_inbox WHERE user_id = ?1 AND project_id = ?2) AS newest
              WHERE total > ?3)
            """
        trimChanges = """
            UPDATE tidemark_changes SET replaced = '[]' WHERE (collection, row_id, server_version) IN (
              SELECT collection, row_id, server_version FROM (
                SELECT collection, row_id, server_version, SUM(256 + \(dialect.bytes(of: "replaced"))) OVER (
                  ORDER BY at DESC, sync_seq DESC, server_version DESC, row_id ROWS UNBOUNDED PRECEDING) AS total
                FROM tidemark_changes
                WHERE project_id = ?2 AND user_id = ?1 AND \(dialect.isLarge("replaced", LargeRecord.change))
              ) AS newest
              WHERE total > ?3)
            """
        trimAnswers = """
            DELETE FROM tidemark_idempotency WHERE (scope, user_id, idempotency_key) IN (
              SELECT scope, user_id, idempotency_key FROM (
                SELECT scope, user_id, idempotency_key, SUM(256 + \(dialect.bytes(of: "response"))) OVER (
                  ORDER BY stored_at DESC, idempotency_key ROWS UNBOUNDED PRECEDING) AS total
                FROM tidemark_idempotency
                WHERE scope = ?2 AND user_id = ?1 AND \(dialect.isLarge("response", LargeRecord.answer))
              ) AS newest
              WHERE total > ?3)
            """
        raiseHistoryFloor = """
            UPDATE tidemark_projects SET history_floor = \(dialect.greatest("history_floor", "?2")) WHERE id = ?1
            """
        // A clock that was set back counts as one that stands still.
        let last = "SELECT at FROM tidemark_numbers WHERE project_id = ?2 ORDER BY no DESC LIMIT 1"
        number = """
            INSERT INTO tidemark_numbers (no, project_id, sync_seq, at, audiences, changes_sight)
            VALUES (?1, ?2, ?3, \(dialect.greatest("?4", "COALESCE((\(last)), 0)")), ?5, ?6)
            ON CONFLICT (no, project_id) DO UPDATE SET sync_seq = excluded.sync_seq, at = excluded.at,
              audiences = tidemark_numbers.audiences || ',' || excluded.audiences,
              changes_sight = \(dialect.greatest("tidemark_numbers.changes_sight", "excluded.changes_sight"))
            """
    }

    /// Records the head of every project under one number, an SQL expression. ?1 is the time.
    package func numberHeads(as number: String) -> String {
        let last = "COALESCE((SELECT MAX(at) FROM tidemark_numbers n WHERE n.project_id = p.id), 0)"
        return """
            INSERT INTO tidemark_numbers (no, project_id, sync_seq, at, audiences, changes_sight)
            SELECT \(number), p.id, p.head, \(dialect.greatest("?1", last)), 'everyone', 1 FROM tidemark_projects p
            """
    }

    /// The greatest number so far: of a commit, or the one that the last restore jumped to.
    package static let newestNumber = """
        SELECT COALESCE(MAX(no), 1) AS no FROM (
          SELECT MAX(no) AS no FROM tidemark_numbers
          UNION ALL SELECT CAST(value AS BIGINT) FROM tidemark_settings WHERE name = 'number_base') AS numbers
        """

    /// The sum of all jumps so far. The counters of new projects start from
    /// it, because a restore may have lost a project that had the same id.
    package static let counterBase =
        "SELECT COALESCE((SELECT CAST(value AS BIGINT) FROM tidemark_settings WHERE name = 'seq_base'), 0)"

    /// Creates the counters of the project ?1.
    package static let createProject = """
        INSERT INTO tidemark_projects (id, head, floor)
        SELECT ?1, base, base FROM (\(counterBase) AS base) AS counters
        """
}
