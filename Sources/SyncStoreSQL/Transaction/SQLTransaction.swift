package import SyncProtocol
package import SyncSchema
package import SyncStore

/// A transaction on an SQL database. An engine runs statements and
/// reads their rows. The statements are written here, for all engines.
package protocol SQLTransaction: WriteTransaction {
    associatedtype Row: SQLRow

    var registry: Registry { get }
    var statements: SQLStatements { get }
    /// Of this transaction alone.
    var drawn: DrawnNumber { get }
    /// The layout of the collection's table.
    func layout(_ collection: Collection) -> TableLayout
    /// Called before rows or counters of the project are read or written. An
    /// engine that locks projects takes the lock here, at the first call.
    func touch(_ project: String) throws
    /// Called before counters or digests of the project are read. An engine
    /// that collects their changes writes them here.
    func settleCounters(of project: String) throws
    /// Called before rows with these ids are written; nil stands for any row of the collection. An engine that keeps
    /// rows that it has read forgets these.
    func noteWrite(of ids: [String]?, in collection: Collection)
    /// The size of the database, without a write-ahead log.
    func databaseBytes() throws -> Int64

    /// Calls `read` with each row of the statement until it returns false. `values` are ?1, ?2 …. If `isKept` is
    /// false, the prepared statement is not cached.
    func each(_ sql: String, _ values: [JSON], isKept: Bool, _ read: (Row) throws -> Bool) throws
    /// Runs the statement once for each list of values. An engine may
    /// do this later, but before it reads what the statement changes.
    func write(_ rows: [[JSON]], _ sql: String) throws
    /// Runs the statement at once. Returns the number of rows that it changed.
    func change(_ sql: String, _ values: [JSON]) throws -> Int
}

extension SQLTransaction {
    package func settleCounters(of project: String) {}

    package func noteWrite(of ids: [String]?, in collection: Collection) {}

    /// The result of `read` for the statement's first row; nil if there is no row.
    func first<Value>(_ sql: String, _ values: [JSON] = [], _ read: (Row) throws -> Value) throws -> Value? {
        var value: Value?
        try each(sql, values, isKept: true) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// The results of `read` for all rows of the statement.
    func all<Value>(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true, _ read: (Row) throws -> Value
    ) throws -> [Value] {
        var list: [Value] = []
        try each(sql, values, isKept: isKept) { row in
            list.append(try read(row))
            return true
        }
        return list
    }

    func run(_ sql: String, _ values: [JSON]) throws { try write([values], sql) }

    /// The rows of a `SELECT` of all columns.
    func records(_ sql: String, _ values: [JSON], of collection: Collection) throws -> [StoredRow] {
        try all(sql, values) { StoredRow($0, of: collection) }
    }
}
