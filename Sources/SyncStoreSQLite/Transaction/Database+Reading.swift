import GRDB
import SyncProtocol

/// Reads without GRDB's value types. They cost time, and they end the process if a column of a damaged file does not
/// have the type that the table declares.
extension Database {
    /// The result of `read` for the statement's first row; nil if there is no row.
    func first<Value>(_ sql: String, _ values: [JSON] = [], _ read: (RawRows) throws -> Value) throws -> Value? {
        var value: Value?
        try each(sql, values) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// The results of `read` for all rows of the statement.
    func all<Value>(_ sql: String, _ values: [JSON] = [], _ read: (RawRows) throws -> Value) throws -> [Value] {
        var list: [Value] = []
        try each(sql, values) { row in
            list.append(try read(row))
            return true
        }
        return list
    }

    /// Calls `read` with each row of the statement until it returns
    /// false. If `isKept` is false, the prepared statement is not cached.
    func each(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true, _ read: (RawRows) throws -> Bool
    ) throws {
        let statement = try isKept ? cachedStatement(sql: sql) : makeStatement(sql: sql)
        // GRDB finalizes a statement when the last reference to it goes, even while its rows are being read.
        try withExtendedLifetime(statement) {
            let rows = RawRows(statement.sqliteStatement)
            defer { rows.reset() }
            rows.restart(with: values)
            while try rows.step(self), try read(rows) {}
        }
    }
}
