import SyncProtocol
import SyncSchema
import SyncStoreSQL
import SyncValues

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
        let table = layout.collection.name
        let definition = layout.definition(of: field, isReferring: false)
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
        let table = layout.collection.name
        let name = "\"\(field.name)\""
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
        let table = layout.collection.name
        let name = "\"\(column.name)\""
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

extension PostgreSQLTables {
    /// A reference, or a check of one column.
    struct Constraint {
        let name: String
        let column: String
        /// The table that the column refers to; nil for a check.
        let target: String?

        var isReference: Bool { target != nil }

        /// Whether the layout has it. The columns in `kept` belong to no field.
        func fits(_ layout: TableLayout, without kept: [StoredColumn]) -> Bool {
            if let target { return layout.references[column] == target }
            return !kept.contains { $0.name == column }
        }
    }

    func constraints(of table: String) throws -> [Constraint] {
        let sql = """
            SELECT c.conname, a.attname, t.relname
            FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
            LEFT JOIN pg_class t ON t.oid = c.confrelid
            WHERE c.conrelid = CAST(?1 AS regclass) AND c.contype IN ('c', 'f') ORDER BY 1
            """
        return try session.ask(sql, [Self.relation(table)]).rows.map {
            Constraint(name: $0.string(0), column: $0.string(1), target: $0.optionalString(2))
        }
    }

    func drop(_ constraint: Constraint, _ layout: TableLayout) throws {
        try alter(layout.collection.name, "DROP CONSTRAINT \"\(constraint.name)\"")
    }

    /// Adds the references that the layout has and the table has not.
    func addReferences(to layout: TableLayout) throws {
        let table = layout.collection.name
        let present = Set(try constraints(of: table).filter(\.isReference).map(\.column))
        for (column, reference) in layout.addReferences where !present.contains(column) {
            try session.execute(reference)
        }
    }

    // MARK: Indexes

    struct Index {
        let name: String
        let isUnique: Bool
        /// The statement that made it; nil for an index that is not ours.
        let statement: String?
    }

    /// The indexes of the table, without the one of its primary key. PostgreSQL does not keep the text of the statement
    /// that made an index, so that is the index's comment.
    func indexes(of table: String) throws -> [Index] {
        let sql = """
            SELECT c.relname, i.indisunique, obj_description(c.oid, 'pg_class')
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE i.indrelid = CAST(?1 AS regclass) AND NOT i.indisprimary ORDER BY 1
            """
        return try session.ask(sql, [Self.relation(table)]).rows.map {
            Index(name: $0.string(0), isUnique: $0.integer(1) != 0, statement: $0.optionalString(2))
        }
    }

    /// Leaves indexes alone that somebody has added for reports. A unique one could refuse rows, and goes.
    func alignedIndexes(_ layout: TableLayout) throws -> Set<String> {
        var aligned: Set<String> = []
        let wanted = layout.indexes
        for index in try indexes(of: layout.collection.name) {
            if let statement = wanted[index.name], statement == index.statement {
                aligned.insert(index.name)
            } else if wanted[index.name] != nil || index.statement != nil || index.isUnique {
                try session.execute("DROP INDEX \"\(index.name)\"")
            }
        }
        return aligned
    }

    func makeIndex(_ name: String, _ layout: TableLayout) throws { try makeIndex(name, layout.indexes[name]!) }

    func makeIndex(_ name: String, _ statement: String) throws {
        try session.execute(statement)
        try session.execute("COMMENT ON INDEX \"\(name)\" IS \(SQLLiteral.text(.string(statement)))")
    }
}
