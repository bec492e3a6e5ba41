package import SyncProtocol
package import SyncSchema
package import SyncStore

/// A transaction on a database that speaks SQL. An engine brings statements to it and reads their rows; what they say is
/// here, for all engines alike.
package protocol SQLTransaction: WriteTransaction {
    associatedtype Row: SQLRow

    var registry: Registry { get }
    var statements: SQLStatements { get }
    func layout(_ collection: Collection) -> TableLayout
    /// Called before rows or counters of the project are read or written: where an engine locks projects, it locks this
    /// one here, at the first touch.
    func touch(_ project: String) throws

    /// Has `read` see the rows of the statement until it returns false. `values` are ?1, ?2 …. A statement that is not
    /// kept is prepared for this once.
    func each(_ sql: String, _ values: [JSON], isKept: Bool, _ read: (Row) throws -> Bool) throws
    /// Runs the statement once for each list of values. A store may do it later, but before it reads what it changes.
    func write(_ rows: [[JSON]], _ sql: String) throws
    /// Runs the statement at once. Returns how many rows it changed.
    func change(_ sql: String, _ values: [JSON]) throws -> Int
}

extension SQLTransaction {
    /// What `read` makes of the statement's first row; nil without one.
    func first<Value>(_ sql: String, _ values: [JSON] = [], _ read: (Row) throws -> Value) throws -> Value? {
        var value: Value?
        try each(sql, values, isKept: true) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// What `read` makes of each row of the statement.
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
