import SyncStoreSQL

/// SQL as SQLite speaks it.
struct SQLiteDialect: SQLDialect {
    static let statements = SQLStatements(SQLiteDialect())

    var integer: String { "INTEGER" }
    var real: String { "REAL" }
    var text: String { "TEXT" }
    var tableOptions: String { "STRICT" }

    func rowChecksum(of terms: [String]) -> String? { RowChecksum.expression(of: terms) }

    func isSame(_ one: String, _ other: String) -> String { "\(one) IS \(other)" }

    /// SQLite has no XOR: it is what either has but not both.
    func exclusiveOr(_ one: String, _ other: String) -> String { "(\(one) | \(other)) & ~(\(one) & \(other))" }

    func greatest(_ one: String, _ other: String) -> String { "max(\(one), \(other))" }
}
