import SyncStoreSQL

/// SQLite's SQL.
struct SQLiteDialect: SQLDialect {
    static let statements = SQLStatements(SQLiteDialect())
    static let systemTables = SystemTables(SQLiteDialect())

    var integer: String { "INTEGER" }
    var real: String { "REAL" }
    var text: String { "TEXT" }
    var boolean: String { "INTEGER" }
    var assignedKey: String { "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT" }
    var tableOptions: String { "STRICT" }
    var keyedTableOptions: String { "STRICT, WITHOUT ROWID" }
    var longestName: Int? { nil }
    var longestKey: Int? { nil }

    func rowChecksum(of terms: [String]) -> String? { RowChecksum.expression(of: terms) }

    func bytes(of text: String) -> String { "length(CAST(\(text) AS BLOB))" }

    func isSame(_ one: String, _ other: String) -> String { "\(one) IS \(other)" }

    /// SQLite has no XOR operator: these are the bits that are in either term but not in both.
    func exclusiveOr(_ one: String, _ other: String) -> String { "(\(one) | \(other)) & ~(\(one) & \(other))" }

    func greatest(_ one: String, _ other: String) -> String { "max(\(one), \(other))" }

    func elements(of list: String) -> String { "json_each(\(list)) e" }

    func joined(_ text: String) -> String { "group_concat(\(text), ', ')" }

    func countOfElements(of list: String) -> String { "json_array_length(\(list))" }
}
