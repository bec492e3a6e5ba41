import GRDB
import SyncProtocol
import SyncSchema
import SyncStoreSQL

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
        let rebuild = TableRebuild(layout, columns, db)
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
