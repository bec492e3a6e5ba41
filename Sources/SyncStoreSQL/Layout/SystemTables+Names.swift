extension SystemTables {
    private static let creation = "CREATE TABLE IF NOT EXISTS "

    /// The names of the tables, in the order of their creation.
    package var names: [String] { statements.compactMap(SystemTables.name) }

    /// The names of the tables whose keys the database assigns.
    package var withAssignedKeys: [String] {
        statements.filter { $0.contains(dialect.assignedKey) }.compactMap(SystemTables.name)
    }

    /// The statements that make the tables, and those that make their indexes.
    package var creation: (tables: [String], indexes: [String]) {
        (statements.filter { SystemTables.name($0) != nil }, statements.filter { SystemTables.name($0) == nil })
    }

    /// The name of the table that the statement makes; nil if it makes none.
    private static func name(_ statement: String) -> String? {
        guard statement.hasPrefix(creation) else { return nil }
        return String(statement.dropFirst(creation.count).prefix { $0 != " " })
    }
}
