import GRDB
import SyncTestKit

@testable import SyncStoreSQLite

extension SQLiteStore {
    /// The lines of the plan that SQLite makes of a statement.
    func plan(of sql: String) throws -> [String] {
        try pool.read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
            statement.setUncheckedArguments(StatementArguments(0..<sql.placeholders))
            return try Row.fetchAll(statement).map { $0["detail"] }
        }
    }
}

extension String {
    /// The highest of `?1`, `?2` … in an SQL text.
    fileprivate var placeholders: Int { matches(of: /\?(\d+)/).compactMap { Int($0.output.1) }.max() ?? 0 }
}
