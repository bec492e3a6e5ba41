import SyncProtocol
import SyncSchema
import SyncStoreSQL

/// How tables are made and changed in PostgreSQL.
///
/// `ALTER TABLE` refuses a table whose rows wait for the check of a deferred reference. So references are added last,
/// when everything before was checked: https://www.postgresql.org/docs/15/sql-altertable.html
struct PostgreSQLTables: SchemaTables {
    let transaction: PostgreSQLTransaction
    var session: Session { transaction.session }

    init(_ transaction: PostgreSQLTransaction) { self.transaction = transaction }

    func hasTable(_ name: String) throws -> Bool {
        let found = try session.ask("SELECT CAST(to_regclass(?1) AS TEXT)", [Self.relation(name)]).first
        return found.map { !$0.isNull(0) } ?? false
    }

    /// The table as a value of the type `regclass`, which reads names as SQL does.
    static func relation(_ name: String) -> JSON { .string("\"\(name)\"") }

    func columns(of table: String) throws -> [StoredColumn] {
        let sql = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
            FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = CAST(?1 AS regclass) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """
        return try session.ask(sql, [Self.relation(table)]).rows.map { row in
            StoredColumn(
                name: row.string(0), type: row.string(1), isNullable: row.integer(2) == 0,
                fallback: row.optionalString(3))
        }
    }

    /// The name that `format_type` has for it.
    func type(of field: Field, _ layout: TableLayout) -> String {
        layout.sqlType(of: field).replacing(" COLLATE \"C\"", with: "").lowercased()
    }

    // MARK: Columns

    func make(_ layout: TableLayout) throws { try session.execute(layout.createTable(isReferring: false)) }

    /// A table that is made again has no defaults, since rows are always written with all fields.
    func add(_ field: Field, to layout: TableLayout) throws {
        let (table, definition) = (layout.collection.name, layout.definition(of: field, isReferring: false))
        guard !field.fallback.isNull else { return try alter(table, "ADD COLUMN \(definition)") }
        try alter(table, "ADD COLUMN \(definition) DEFAULT \(SQLLiteral.text(storing: field.fallback))")
        try alter(table, "ALTER COLUMN \"\(field.name)\" DROP DEFAULT")
    }

    func align(_ layout: TableLayout, _ columns: [StoredColumn]) throws {
        let present = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
        let constraints = try constraints(of: layout.collection.name)
        let kept = layout.keptColumns(columns)
        for constraint in constraints where !constraint.fits(layout, without: kept) { try drop(constraint, layout) }
        for field in layout.collection.fields {
            guard let column = present[field.name] else { continue }
            try align(column, with: field, layout)
            let isChecked = constraints.contains { !$0.isReference && $0.column == field.name }
            if field.value.kind == .boolean, !isChecked {
                try alter(layout.collection.name, "ADD CHECK (\"\(field.name)\" IN (0, 1))")
            }
        }
        for column in kept { try keep(column, layout) }
    }

    private func align(_ column: StoredColumn, with field: Field, _ layout: TableLayout) throws {
        let (table, name) = (layout.collection.name, "\"\(field.name)\"")
        if column.fallback != nil { try alter(table, "ALTER COLUMN \(name) DROP DEFAULT") }
        guard column.isNullable != field.value.isNullable else { return }
        guard !field.value.isNullable else { return try alter(table, "ALTER COLUMN \(name) DROP NOT NULL") }
        if !field.fallback.isNull {
            let value = SQLLiteral.text(storing: field.fallback)
            try session.execute("UPDATE \"\(table)\" SET \(name) = \(value) WHERE \(name) IS NULL")
        }
        try alter(table, "ALTER COLUMN \(name) SET NOT NULL")
    }

    /// Makes the column of a removed field one that new rows need not name.
    private func keep(_ column: StoredColumn, _ layout: TableLayout) throws {
        let (table, name) = (layout.collection.name, "\"\(column.name)\"")
        if !column.isNullable { try alter(table, "ALTER COLUMN \(name) DROP NOT NULL") }
        let fallback = layout.fallback(of: column)
        try alter(table, "ALTER COLUMN \(name) " + (fallback.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT"))
    }

    func dropColumn(_ field: String, of table: String) throws { try alter(table, "DROP COLUMN \"\(field)\"") }

    func alter(_ table: String, _ action: String) throws { try session.execute("ALTER TABLE \"\(table)\" \(action)") }

    // MARK: Tables

    func detach(_ table: String) throws {
        for constraint in try constraints(of: table) where constraint.isReference {
            try alter(table, "DROP CONSTRAINT \"\(constraint.name)\"")
        }
        for index in try indexes(of: table) { try session.execute("DROP INDEX \"\(index.name)\"") }
    }

    func drop(_ table: String) throws { try session.execute("DROP TABLE \"\(table)\"") }

    // MARK: The end

    /// Writes counters and commits.
    func settle() throws {
        try session.pending.send(session)
        session.pending = PendingWrites()
        try session.fly()
    }

    func finish(changed: [Collection]) throws {
        try settle()
        try session.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for collection in transaction.registry.collections { try addReferences(to: transaction.layout(collection)) }
    }
}
