import GRDB
import SyncProtocol
import SyncSchema
import SyncStoreSQL

/// Gives a table constraints that `ALTER TABLE` can't add, by SQLite's procedure. Foreign keys are off (1). In a
/// transaction (2), a table of the new form is made (4), filled (5), and renamed after the old one is dropped (6, 7).
/// The caller makes the indexes (8) and checks the foreign keys (10).
/// https://sqlite.org/lang_altertable.html#otheralter
struct TableRebuild {
    private let layout: TableLayout
    private let db: Database
    private let columns: [StoredColumn]
    private var table: String { layout.collection.name }

    init(_ layout: TableLayout, _ columns: [StoredColumn], _ db: Database) {
        (self.layout, self.columns, self.db) = (layout, columns, db)
    }

    /// Whether the table differs from the layout in its null constraints, its references or its kept columns.
    func isNeeded() throws -> Bool {
        let nullable = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.isNullable) })
        if layout.collection.fields.contains(where: { nullable[$0.name] != $0.value.isNullable }) { return true }
        let kept = layout.keptColumns(columns)
        if kept.contains(where: { !$0.isNullable || $0.fallback != layout.fallback(of: $0) }) { return true }
        return try references() != layout.references
    }

    func run() throws {
        let name = "tidemark_rebuilt"
        let kept = layout.keptColumns(columns).map { column in
            "\"\(column.name)\" \(column.type)" + (layout.fallback(of: column).map { " DEFAULT \($0)" } ?? "")
        }
        try db.execute(sql: layout.createTable(named: name, kept: kept))
        let present = Set(try db.columns(in: name).map(\.name))
        let copied = columns.map(\.name).filter(present.contains)
        let names = copied.map { "\"\($0)\"" }.joined(separator: ", ")
        let values = copied.map(value).joined(separator: ", ")
        try db.execute(sql: "INSERT INTO \(name) (\(names)) SELECT \(values) FROM \"\(table)\" ORDER BY rowid")
        try db.execute(sql: "DROP TABLE \"\(table)\"")
        try db.execute(sql: "ALTER TABLE \(name) RENAME TO \"\(table)\"")
    }

    /// A removed field that comes back may have nulls from the time when it was removed.
    private func value(of column: String) -> String {
        guard let field = layout.collection.field(column), !field.value.isNullable, !field.fallback.isNull else {
            return "\"\(column)\""
        }
        return "COALESCE(\"\(column)\", \(SQLLiteral.text(storing: field.fallback)))"
    }

    /// The tables that this table refers to, by column.
    private func references() throws -> [String: String] {
        let rows = try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\"\(table)\")")
        return Dictionary(rows.map { ($0["from"] as String, $0["table"] as String) }) { $1 }
    }
}
