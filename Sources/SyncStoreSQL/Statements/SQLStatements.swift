/// Statements that dialects print differently, made once for each store.
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

    /// All jumps so far, from which the counters of new projects start: their ids may have been in use in the history
    /// that a restore lost.
    package static let counterBase =
        "SELECT COALESCE((SELECT CAST(value AS INTEGER) FROM tidemark_settings WHERE name = 'seq_base'), 0)"
}
