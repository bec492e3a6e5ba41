import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

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
        let tables = SQLiteTables(SQLiteTransaction(db, CollectionTables(registry, SQLiteDialect())))
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
