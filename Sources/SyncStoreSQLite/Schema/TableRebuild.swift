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
    private let columns: [ColumnInfo]
    private var table: String { layout.collection.name }

    init(_ layout: TableLayout, _ db: Database) throws {
        self.layout = layout
        self.db = db
        columns = try db.columns(in: layout.collection.name)
    }

    /// Columns that belong to no field of the schema.
    var keptColumns: [ColumnInfo] {
        let own =
            SystemColumn.allCases.map(\.name) + layout.laterColumns.map(\.name) + layout.collection.fields.map(\.name)
        let known = Set(own)
        return columns.filter { !known.contains($0.name) }
    }

    /// Whether the table differs from the layout in its null constraints, its references or its kept columns.
    func isNeeded() throws -> Bool {
        let nullable = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, !$0.isNotNull) })
        if layout.collection.fields.contains(where: { nullable[$0.name] != $0.value.isNullable }) { return true }
        if keptColumns.contains(where: { $0.isNotNull || $0.defaultValueSQL != fallback(of: $0) }) { return true }
        return try references() != layout.references
    }

    func run() throws {
        let name = "tidemark_rebuilt"
        let kept = keptColumns.map { column in
            "\"\(column.name)\" \(column.type)" + (fallback(of: column).map { " DEFAULT \($0)" } ?? "")
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

    /// What new rows get in a kept column: the removed field's default.
    private func fallback(of column: ColumnInfo) -> String? {
        guard let field = layout.collection.removedFields.first(where: { $0.name == column.name }) else {
            return column.defaultValueSQL
        }
        return field.fallback.isNull ? nil : SQLLiteral.text(storing: field.fallback)
    }

    /// The tables that this table refers to, by column.
    private func references() throws -> [String: String] {
        let rows = try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\"\(table)\")")
        return Dictionary(rows.map { ($0["from"] as String, $0["table"] as String) }) { $1 }
    }
}

extension TableLayout {
    /// The tables that the columns refer to, by column.
    fileprivate var references: [String: String] {
        var references = ["project_id": "tidemark_projects"]
        for field in collection.fields {
            if let reference = field.reference, !reference.isList { references[field.name] = reference.collection }
        }
        return references
    }
}

extension SQLLiteral {
    /// A literal of the value as its column stores it: lists and objects as text.
    static func text(storing value: JSON) -> String {
        switch value {
        case .array, .object: text(.string(value.text))
        default: text(value)
        }
    }
}
