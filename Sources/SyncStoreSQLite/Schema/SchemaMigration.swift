import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Brings the tables in line with the schema files, in one transaction in which foreign keys are off. It adds what is
/// missing, rebuilds tables whose form changed, and keeps the data that was removed from the schema. It refuses a
/// change that the rows can't follow, so starting the server never drops data.
struct SchemaMigration {
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
        guard old.isEmpty || opener == .server else {
            throw StoreError(
                "The database was made with other schema files.",
                hint: "Give the server's --schemas, or start the server with these files first.")
        }
        let mending = try migrate(from: old, isCurrent: isCurrent, db)
        try db.set("schemas", to: present.text)
        try db.set("layout", to: TableLayout.version)
        return mending
    }

    private func migrate(from old: [JSON], isCurrent: Bool, _ db: Database) throws -> Mending {
        var removed = try RemovedData(db)
        try remove(from: old, &removed, db)
        var stored = Dictionary(old.map { ($0["title"]?.string ?? "", $0) }) { $1 }
        let revived = removed.collections.filter { registry[$0.key] != nil }
        stored.merge(revived) { $1 }
        let changes = registry.collections.compactMap { new in
            stored[new.name].map { CollectionChange(old: $0, new: new) }
        }.filter { !isCurrent || revived[$0.new.name] != nil || $0.old != $0.new.document }
        for change in changes { try change.check() }
        for collection in registry.collections {
            try align(collection, stored[collection.name], &removed, db)
            removed.collections[collection.name] = nil
        }
        for name in revived.keys { try Revival(registry.collection(name), registry, db).run() }
        let mending = try mend(Dictionary(changes.map { ($0.new.name, $0) }) { $1 }, isCurrent: isCurrent, db)
        try removed.save(db)
        return mending
    }

    /// Mends the rows first, then computes what is derived from them,
    /// then delivers changes to clients, and sets the checksums last.
    private func mend(_ changes: [String: CollectionChange], isCurrent: Bool, _ db: Database) throws -> Mending {
        var unsealed = try TombstoneMending(db: db, registry: registry).run()
        for name in changes.keys { try ListReferences.rebuild(of: registry.collection(name), db) }
        // An older version that does not keep digests may have written to a file that had them.
        if !isCurrent {
            try DigestRebuild(registry: registry).run(db)
            try db.execute(sql: "UPDATE tidemark_projects SET history_floor = head")
        }
        let mending = try ReferenceMending(db, registry, mender, now: WallClock.system.now()).run(changes)
        unsealed.formUnion(try TombstoneMending(db: db, registry: registry).run())
        for collection in registry.collections
        where !isCurrent || changes[collection.name] != nil || unsealed.contains(collection.name) {
            try sealRows(of: collection, db)
        }
        try db.checkForeignKeys()
        return mending
    }

    /// Nil in a new file.
    private func recordedLayout(_ db: Database) throws -> Int? {
        guard try db.tableExists("tidemark_settings") else { return nil }
        return LayoutVersion.number(try db.setting("layout"))
    }

    /// A guest must not change tables that an older server may be using.
    private func checkLayout(isCurrent: Bool) throws {
        guard isCurrent || opener == .server else {
            throw StoreError(
                "The database was made by an older version of Tidemark.",
                hint: "Start the server once with this version, then try again.")
        }
    }

    // MARK: Collections

    /// Keeps the rows of a removed collection, but no constraints that could interfere with other tables.
    private func remove(from old: [JSON], _ removed: inout RemovedData, _ db: Database) throws {
        for document in old {
            let name = document["title"]?.string ?? ""
            guard registry[name] == nil else { continue }
            guard registry.removed.contains(name) else {
                throw SchemaError(
                    file: name, pointer: "",
                    reason: """
                        the database has this collection, but there is no file for it. Put the file back. To remove \
                        the collection, set "x-removed": true in the file. Its rows are kept until you run \
                        `tidemark schema prune`.
                        """)
            }
            try KeptTable(name, db).detach()
            removed.collections[name] = document
        }
    }

    private func align(
        _ collection: Collection, _ stored: JSON?, _ removed: inout RemovedData, _ db: Database
    ) throws {
        let layout = TableLayout(collection, registry)
        if try db.tableExists(collection.name) {
            let change = CollectionChange(old: stored ?? [:], new: collection)
            try addColumns(layout, change, db)
            try keepColumns(layout, change, &removed, db)
            try alignColumns(layout, change, &removed, db)
        } else {
            try collection.requireFreePath()
            try db.execute(sql: layout.createTable)
        }
        try IndexAlignment(layout, db).run()
    }

    /// The number of rows whose checksums one statement sets.
    private static let sealedRows = 20_000

    /// Sets the checksums of rows that have none or whose columns changed. It works in parts, because SQLite keeps the
    /// old content of the pages that a statement changes in memory until the statement ends: 2.7 GB for ten million
    /// rows. https://sqlite.org/tempfiles.html#statement_journal_files
    private func sealRows(of collection: Collection, _ db: Database) throws {
        let checksum = TableLayout(collection, registry).rowChecksum
        let table = "\"\(collection.name)\""
        guard let last = try Int64.fetchOne(db, sql: "SELECT max(_rowid_) FROM \(table)") else { return }
        for first in stride(from: 1, through: Int(last), by: SchemaMigration.sealedRows) {
            try db.execute(
                sql: "UPDATE \(table) SET row_checksum = \(checksum) WHERE _rowid_ BETWEEN ?1 AND ?2",
                arguments: [first, first + SchemaMigration.sealedRows - 1])
        }
    }

    // MARK: Columns

    private func addColumns(_ layout: TableLayout, _ change: CollectionChange, _ db: Database) throws {
        let present = Set(try db.columns(in: layout.collection.name).map(\.name))
        for (name, type) in layout.laterColumns where !present.contains(name) {
            try db.execute(sql: "ALTER TABLE \"\(layout.collection.name)\" ADD COLUMN \(name) \(type)")
        }
        for field in layout.collection.fields where !present.contains(field.name) {
            guard field.value.isNullable || !field.fallback.isNull else { throw change.needsValue(field) }
            let fallback = field.fallback.isNull ? "" : " DEFAULT \(SQLLiteral.text(storing: field.fallback))"
            let definition = layout.definition(of: field) + fallback
            try db.execute(sql: "ALTER TABLE \"\(layout.collection.name)\" ADD COLUMN \(definition)")
        }
    }

    /// Records the columns of removed fields.
    private func keepColumns(
        _ layout: TableLayout, _ change: CollectionChange, _ removed: inout RemovedData, _ db: Database
    ) throws {
        let name = layout.collection.name
        for column in try TableRebuild(layout, db).keptColumns where removed.fields[name]?[column.name] == nil {
            guard layout.collection.removedFields.contains(where: { $0.name == column.name }) else {
                throw change.lost(column.name)
            }
            removed.fields[name, default: [:]][column.name] = change.old["properties"]?[column.name] ?? [:]
        }
    }

    private func alignColumns(
        _ layout: TableLayout, _ change: CollectionChange, _ removed: inout RemovedData, _ db: Database
    ) throws {
        let columns = try db.columns(in: layout.collection.name)
        let present = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
        let isRevived = removed.collections[layout.collection.name] != nil
        for field in layout.collection.fields {
            let kept = removed.fields[layout.collection.name]?.removeValue(forKey: field.name)
            if let kept { try change.check(field, storedBy: kept) }
            guard let column = present[field.name] else { continue }
            guard column.type == layout.sqlType(of: field) else { throw change.otherType(field) }
            guard !field.value.isNullable, !column.isNotNull else { continue }
            guard try (isRevived || kept != nil) && !holdsNulls(field, layout, db) else {
                throw change.refuseNulls(in: field)
            }
        }
        let rebuild = try TableRebuild(layout, db)
        if try rebuild.isNeeded() { try rebuild.run() }
    }

    private func holdsNulls(_ field: Field, _ layout: TableLayout, _ db: Database) throws -> Bool {
        guard field.fallback.isNull else { return false }
        let sql = "SELECT EXISTS (SELECT 1 FROM \"\(layout.collection.name)\" WHERE \"\(field.name)\" IS NULL)"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }
}
