import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Fills an empty database, in the transaction of its session.
struct PostgreSQLCopyWriter: CopyWriter {
    private let session: Session
    let reader: PostgreSQLCopyReader
    private let tables: CollectionTables
    private let here: Incarnation

    /// `name` is the database's, as errors show it.
    init(_ name: String, _ session: Session, _ tables: CollectionTables, _ here: Incarnation) {
        (self.session, self.tables, self.here) = (session, tables, here)
        reader = PostgreSQLCopyReader(name: name, session: session, registry: tables.registry)
    }

    func makeTables(_ tables: [CopyTable]) throws {
        for statement in PostgreSQLDialect.systemTables.creation.tables + AccountChanges.statements
            + OwnTables.statements
        {
            try session.execute(statement)
        }
        for table in tables {
            switch table.kind {
            case .system: break
            case .collection:
                let layout = self.tables[registry.collection(table.name)].layout
                let kept = table.keptColumns(beside: layout)
                try session.execute(layout.createTable(kept: kept, isReferring: false))
            case .removed: try session.execute(table.createRemoved(dialect))
            }
        }
        try session.fly()
    }

    /// The tables were made in this transaction, so rows can be frozen at once and no vacuum has to visit them:
    /// https://www.postgresql.org/docs/15/sql-copy.html
    func fill(_ table: CopyTable, _ rows: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Void) throws {
        let types = try columns(of: table.name).reduce(into: [:]) { $0[$1.name] = $1.type }
        var binary = BinaryRows(table.columns.map { types[$0.name] ?? $0.type })
        let sql = "COPY \"\(table.name)\" (\(table.list)) FROM STDIN (FORMAT binary, FREEZE)"
        try CopyFailure.translated(reader.name) {
            try session.connection.copyIn(sql) { input in
                try rows { row in
                    binary.add(row)
                    // Here, because the source must not take an error of the target for its own.
                    if binary.isFull { try CopyFailure.translated(reader.name) { try binary.flush(to: input) } }
                }
                binary.end()
                try binary.flush(to: input)
            }
        }
    }

    /// A project without changes does not exist, as far as marks tell. See `Marker`.
    func complete(_ tables: [CopyTable]) throws {
        for statement in PostgreSQLDialect.systemTables.creation.indexes { try session.execute(statement) }
        let layouts = registry.collections.map { self.tables[$0].layout }
        for layout in layouts { try makeIndexes(layout) }
        for layout in layouts {
            for (column, reference) in layout.addReferences where column != SystemColumn.project.name {
                try session.execute(reference)
            }
        }
        try session.execute("UPDATE tidemark_projects SET changes = 1")
        try session.execute("SET CONSTRAINTS ALL IMMEDIATE")
        try DatabaseLayout.record(PostgreSQLTransaction(session, self.tables, .installation))
        try Home.move(to: here, session)
        try session.fly()
    }

    private func makeIndexes(_ layout: TableLayout) throws {
        let schema = PostgreSQLTables(PostgreSQLTransaction(session, tables, .installation))
        let indexes = try layout.indexesToMake { try session.ask($0, isKept: false).count > 0 }
        for (name, statement) in indexes { try schema.makeIndex(name, statement) }
    }

    func setLastKey(_ key: Int64, of table: String) throws {
        _ = try session.ask(
            "SELECT setval(pg_get_serial_sequence(?1, 'id'), GREATEST(CAST(?2 AS BIGINT), 1), CAST(?2 AS BIGINT) > 0)",
            [.string(table), .int(key)])
    }

    func set(_ setting: String, to value: String) throws {
        _ = try session.ask(DatabaseMove.record, [.string(setting), .string(value)])
    }

    func audit(_ entry: AuditEntry) throws {
        try PostgreSQLTransaction(session, tables, .installation).audit(entry)
    }

    func jump() throws -> RestoreJump {
        try PostgreSQLTransaction(session, tables, .installation).jump(to: here)
    }
}

extension DatabaseMove {
    static let record = """
        INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """
}
