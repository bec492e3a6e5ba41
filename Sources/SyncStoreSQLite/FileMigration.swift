import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncValues

/// Brings a file in line with this version and with the schema files, in one transaction in which foreign keys are off.
struct FileMigration {
    let path: String
    let registry: Registry
    let opener: SQLiteStore.Opener
    let mender: any RowMender

    /// Returns what happened to rows that don't follow the schema.
    func run(_ db: Database) throws -> Mending {
        // Checked again, because from now on nobody else can write.
        let layout = try recordedLayout(db)
        if let layout { try LayoutVersion.refuseNewer(layout, in: path) }
        try SystemTables.upgrade(db)
        for statement in SQLiteDialect.systemTables.statements + AccountChanges.statements {
            try db.execute(sql: statement)
        }
        try SystemTables.moveRows(db)
        let present = JSON.array(registry.collections.map(\.document))
        let recorded = try db.setting("schemas")
        let isCurrent = layout == LayoutVersion.current
        guard recorded != present.text || !isCurrent else { return Mending() }
        try checkLayout(isCurrent: isCurrent || recorded == nil)
        let old = recorded.flatMap { try? JSON(parsing: $0) }?.array ?? []
        guard old.isEmpty || opener.holdsFile else { throw StoreError.otherSchemas }
        let tables = SQLiteTables(SQLiteTransaction(db, tables: CollectionTables(registry, SQLiteDialect())))
        try tables.addLaterColumns()
        let mending = try SchemaMigration(tables, mender: mender).run(from: old, isCurrent: isCurrent)
        try db.set("schemas", to: present.text)
        try db.set("layout", to: TableLayout.version)
        return mending
    }

    /// Nil in a new file.
    private func recordedLayout(_ db: Database) throws -> Int? {
        guard try db.tableExists("tidemark_settings") else { return nil }
        return LayoutVersion.number(try db.setting("layout"))
    }

    /// A guest must not change tables that an older server may be using.
    private func checkLayout(isCurrent: Bool) throws {
        guard isCurrent || opener.holdsFile else {
            throw StoreError.olderVersion
        }
    }
}

/// How a migration changes tables in SQLite. Foreign keys are off.
struct SQLiteTables: SchemaTables {
    let transaction: SQLiteTransaction
    private var db: Database { transaction.db }

    init(_ transaction: SQLiteTransaction) { self.transaction = transaction }

    func hasTable(_ name: String) throws -> Bool { try db.tableExists(name) }

    func columns(of table: String) throws -> [StoredColumn] {
        try db.columns(in: table).map {
            StoredColumn(name: $0.name, type: $0.type, isNullable: !$0.isNotNull, fallback: $0.defaultValueSQL)
        }
    }

    func type(of field: Field, _ layout: TableLayout) -> String { layout.sqlType(of: field) }

    // MARK: Columns

    func make(_ layout: TableLayout) throws { try db.execute(sql: layout.createTable) }

    func add(_ field: Field, to layout: TableLayout) throws {
        let fallback = field.fallback.isNull ? "" : " DEFAULT \(SQLLiteral.text(storing: field.fallback))"
        let definition = layout.definition(of: field) + fallback
        try db.execute(sql: "ALTER TABLE \"\(layout.collection.name)\" ADD COLUMN \(definition)")
    }

    func align(_ layout: TableLayout, _ columns: [StoredColumn]) throws {
        let rebuild = TableRebuild(layout, columns: columns, in: db)
        if try rebuild.isNeeded() { try rebuild.run() }
    }

    /// Adds the system columns that tables of older versions lack.
    func addLaterColumns() throws {
        for collection in transaction.registry.collections where try hasTable(collection.name) {
            let present = Set(try db.columns(in: collection.name).map(\.name))
            for (name, type) in transaction.layout(collection).laterColumns where !present.contains(name) {
                try db.execute(sql: "ALTER TABLE \"\(collection.name)\" ADD COLUMN \(name) \(type)")
            }
        }
    }

    func dropColumn(_ field: String, of table: String) throws {
        try db.execute(sql: "ALTER TABLE \"\(table)\" DROP COLUMN \"\(field)\"")
    }

    // MARK: Indexes

    func alignedIndexes(_ layout: TableLayout) throws -> Set<String> {
        let sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL"
        var aligned: Set<String> = []
        for row in try Row.fetchAll(db, sql: sql, arguments: [layout.collection.name]) {
            let (name, statement): (String, String) = (row["name"], row["sql"])
            if layout.indexes[name] == statement {
                aligned.insert(name)
            } else {
                try db.execute(sql: "DROP INDEX \"\(name)\"")
            }
        }
        return aligned
    }

    func makeIndex(_ name: String, _ layout: TableLayout) throws { try db.execute(sql: layout.indexes[name]!) }

    // MARK: Tables

    /// Makes the table again, without indexes and foreign keys.
    func detach(_ table: String) throws {
        let columns = try db.columns(in: table)
        let definitions = columns.map { "\"\($0.name)\" \($0.type)" + ($0.name == "id" ? " NOT NULL PRIMARY KEY" : "") }
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        try db.execute(
            sql: """
                CREATE TABLE tidemark_rebuilt (\(definitions.joined(separator: ", "))) STRICT;
                INSERT INTO tidemark_rebuilt (\(names)) SELECT \(names) FROM "\(table)" ORDER BY rowid;
                DROP TABLE "\(table)";
                ALTER TABLE tidemark_rebuilt RENAME TO "\(table)"
                """)
    }

    func drop(_ table: String) throws { try db.execute(sql: "DROP TABLE \"\(table)\"") }

    func settle() {}

    func finish(changed: [Collection]) throws {
        for collection in changed { try sealRows(of: collection) }
        try db.checkForeignKeys()
    }

    /// The number of rows whose checksums one statement sets.
    private static let sealedRows = 20_000

    /// Sets the checksums of rows that have none or whose columns changed. It works in parts, because SQLite keeps the
    /// old content of the pages that a statement changes in memory until the statement ends: 2.7 GB for ten million
    /// rows. https://sqlite.org/tempfiles.html#statement_journal_files
    private func sealRows(of collection: Collection) throws {
        let checksum = transaction.layout(collection).rowChecksum
        let table = "\"\(collection.name)\""
        guard let last = try Int64.fetchOne(db, sql: "SELECT max(_rowid_) FROM \(table)") else { return }
        for first in stride(from: 1, through: Int(last), by: Self.sealedRows) {
            try db.execute(
                sql: "UPDATE \(table) SET row_checksum = \(checksum) WHERE _rowid_ BETWEEN ?1 AND ?2",
                arguments: [first, first + Self.sealedRows - 1])
        }
    }
}

/// Gives a table constraints that `ALTER TABLE` can't add, by SQLite's procedure. Foreign keys are off (1). In a
/// transaction (2), a table of the new form is made (4), filled (5), and renamed after the old one is dropped (6, 7).
/// The caller makes the indexes (8) and checks the foreign keys (10).
/// https://sqlite.org/lang_altertable.html#otheralter
struct TableRebuild {
    private let layout: TableLayout
    private let db: Database
    private let columns: [StoredColumn]
    private var table: String { layout.collection.name }

    init(_ layout: TableLayout, columns: [StoredColumn], in db: Database) {
        self.layout = layout
        self.columns = columns
        self.db = db
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
