import GRDB
import SyncProtocol

/// Reading without GRDB's boxes, which cost time, and end the process where a damaged file has another type in a column
/// than the table says.
extension Database {
    /// What `read` makes of the statement's first row.
    func first<Value>(_ sql: String, _ values: [JSON] = [], _ read: (RawRows) throws -> Value) throws -> Value? {
        var value: Value?
        try each(sql, values) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// What `read` makes of each row of the statement.
    func all<Value>(_ sql: String, _ values: [JSON] = [], _ read: (RawRows) throws -> Value) throws -> [Value] {
        var list: [Value] = []
        try each(sql, values) { row in
            list.append(try read(row))
            return true
        }
        return list
    }

    /// Has `read` see the statement's rows until it returns false.
    /// A statement that is not kept is prepared for this once.
    func each(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true, _ read: (RawRows) throws -> Bool
    ) throws {
        let statement = try isKept ? cachedStatement(sql: sql) : makeStatement(sql: sql)
        // GRDB finalizes a statement when nobody has it any more, whatever still steps it.
        try withExtendedLifetime(statement) {
            let rows = RawRows(statement.sqliteStatement)
            defer { rows.reset() }
            rows.restart(with: values)
            while try rows.step(self), try read(rows) {}
        }
    }
}
