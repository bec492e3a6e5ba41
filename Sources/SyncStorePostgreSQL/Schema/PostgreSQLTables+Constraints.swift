import SyncProtocol
import SyncSchema
import SyncStoreSQL

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
