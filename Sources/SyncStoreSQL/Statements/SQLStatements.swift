/// Statements that differ between dialects, made once for each store.
package struct SQLStatements: Sendable {
    let addDigest: String
    let forgetSameLoss: String
    let raiseHistoryFloor: String

    package init(_ dialect: any SQLDialect) {
        addDigest = """
            UPDATE tidemark_digests SET live = live + ?4, bits = \(dialect.exclusiveOr("bits", "?5"))
            WHERE project_id = ?1 AND audience = ?2 AND collection = ?3
            """
        forgetSameLoss = """
            DELETE FROM tidemark_inbox WHERE project_id = ?1 AND user_id = ?2 AND collection = ?3 AND row_id = ?4
              AND \(dialect.isSame("field", "?5")) AND code = ?6 AND sent = ?7
            """
        raiseHistoryFloor = """
            UPDATE tidemark_projects SET history_floor = \(dialect.greatest("history_floor", "?2")) WHERE id = ?1
            """
    }

    /// The sum of all jumps so far. The counters of new projects start from
    /// it, because a restore may have lost a project that had the same id.
    package static let counterBase =
        "SELECT COALESCE((SELECT CAST(value AS INTEGER) FROM tidemark_settings WHERE name = 'seq_base'), 0)"
}
