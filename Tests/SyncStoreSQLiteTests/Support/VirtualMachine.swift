import GRDB
import GRDBSQLite

/// What SQLite counts for a statement: https://sqlite.org/c3ref/c_stmtstatus_counter.html
enum VirtualMachine {
    static func steps(of statement: Statement, reset: Bool) -> Int32 {
        sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, reset ? 1 : 0)
    }
}
