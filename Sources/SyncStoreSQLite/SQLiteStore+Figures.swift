import GRDBSQLite
package import SyncEngine

extension SQLiteStore {
    package var figures: StoreFigures {
        var figures = StoreFigures()
        figures.engine = "SQLite \(String(cString: sqlite3_libversion()))"
        figures.groups = writes.groupSizes
        figures.waitingWrites = writes.count
        figures.logBytes = checkpoints.walSize
        return figures
    }
}
