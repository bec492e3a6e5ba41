import GRDB
import SyncProtocol
import SyncSchema

/// Brings the tables in line with the schema files: what is missing is added in one transaction, anything else is
/// refused, so that no start-up ever drops or rewrites data.
struct SchemaMigration {
    let path: String
    let registry: Registry
    let opener: SQLiteStore.Opener

    func run(_ db: Database) throws {
        // Once more, now that nobody else can write.
        let layout = try recordedLayout(db)
        if let layout { try LayoutVersion.refuseNewer(layout, in: path) }
        try SystemTables.upgrade(db)
        for statement in SystemTables.statements + AccountChanges.statements { try db.execute(sql: statement) }
        try SystemTables.moveRows(db)
        let present = JSON.array(registry.collections.map(\.document))
        let recorded = try setting("schemas", db)
        let isCurrent = layout == LayoutVersion.current
        guard recorded != present.text || !isCurrent else { return }
        try checkLayout(isCurrent: isCurrent || recorded == nil)
        let old = recorded.flatMap { try? JSON(parsing: $0) }?.array ?? []
        try check(successorOf: old)
        for collection in registry.collections {
            try migrate(collection, db)
            if !isCurrent || !old.contains(collection.document) { try sealRows(of: collection, db) }
        }
        // Also where a version that does not keep them has written to a file that had them.
        if !isCurrent {
            try DigestRebuild(registry: registry).run(db)
            try db.execute(sql: "UPDATE tidemark_projects SET history_floor = head")
        }
        try set("schemas", to: present.text, db)
        try set("layout", to: TableLayout.version, db)
    }

    /// Nil in a new file.
    private func recordedLayout(_ db: Database) throws -> Int? {
        guard try db.tableExists("tidemark_settings") else { return nil }
        return LayoutVersion.number(try setting("layout", db))
    }

    private func setting(_ name: String, _ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT value FROM tidemark_settings WHERE name = ?1", arguments: [name])
    }

    private func set(_ name: String, to value: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [name, value])
    }

    /// A guest could pull the tables from under a server of the version that made them.
    private func checkLayout(isCurrent: Bool) throws {
        guard isCurrent || opener == .server else {
            throw StoreError(
                "The database was made by an older version of Tidemark.",
                hint: "Start the server once with this version, then try again.")
        }
    }

    /// What can't be seen from the columns: collections that are gone, and keywords that rows were stored by.
    private func check(successorOf recorded: [JSON]) throws {
        guard recorded.isEmpty || opener == .server else {
            throw StoreError(
                "The database was made with other schema files.",
                hint: "Pass the server's --schemas, or start the server with these files first.")
        }
        for old in recorded {
            let name = old["title"]?.string ?? ""
            guard let new = registry[name]?.document else {
                throw SchemaError(
                    file: name, pointer: "", reason: "the database has this collection. Put the file back.")
            }
            for keyword in ["x-visibility", "x-unique", "x-scope"] where old[keyword] != new[keyword] {
                throw SchemaError(
                    file: name, pointer: "/\(keyword)",
                    reason: "differs from what the database's rows were stored by. Put it back as it was.")
            }
        }
    }

    private func migrate(_ collection: Collection, _ db: Database) throws {
        let layout = TableLayout(collection, registry)
        if try db.tableExists(collection.name) {
            try addColumns(layout, db)
        } else {
            try db.execute(sql: layout.createTable)
        }
        try alignIndexes(with: layout, db)
    }

    /// The checksums of rows that were written without one, or with other columns.
    private func sealRows(of collection: Collection, _ db: Database) throws {
        let checksum = TableLayout(collection, registry).checksum
        try db.execute(sql: "UPDATE \"\(collection.name)\" SET row_checksum = \(checksum)")
    }

    /// Those of an earlier layout go, as each costs every write.
    private func alignIndexes(with layout: TableLayout, _ db: Database) throws {
        let present = Set(try db.indexes(on: layout.collection.name).filter { $0.origin == .createIndex }.map(\.name))
        for name in present.subtracting(layout.indexes.keys) { try db.execute(sql: "DROP INDEX \"\(name)\"") }
        for (name, statement) in layout.indexes.sorted(by: { $0.key < $1.key }) where !present.contains(name) {
            try db.execute(sql: statement)
        }
    }

    private func addColumns(_ layout: TableLayout, _ db: Database) throws {
        let columns = try db.columns(in: layout.collection.name)
        let present = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
        for (name, type) in TableLayout.laterColumns where present[name] == nil {
            try db.execute(sql: "ALTER TABLE \"\(layout.collection.name)\" ADD COLUMN \(name) \(type)")
        }
        for field in layout.collection.fields {
            if let column = present[field.name] {
                try check(column, field, layout.collection)
            } else {
                try add(field, layout, db)
            }
        }
        let system = TableLayout.systemColumns + TableLayout.laterColumns.keys
        let known = Set(system + layout.collection.fields.map(\.name))
        if let dropped = columns.first(where: { !known.contains($0.name) }) {
            throw refusal(layout.collection, dropped.name, "the database has this field, the schema has not")
        }
    }

    private func check(_ column: ColumnInfo, _ field: Field, _ collection: Collection) throws {
        guard column.type == TableLayout.sqlType(of: field), column.isNotNull == !field.value.isNullable else {
            throw refusal(collection, field.name, "its type differs from the database's")
        }
    }

    private func add(_ field: Field, _ layout: TableLayout, _ db: Database) throws {
        guard field.value.isNullable || !field.fallback.isNull else {
            throw refusal(
                layout.collection, field.name, "a new field needs a default or null for the rows that are there")
        }
        let name = layout.collection.name
        let fallback = SQLLiteral.text(field.value.isStructured ? .string(field.fallback.text) : field.fallback)
        let definition = TableLayout.definition(of: field) + (field.fallback.isNull ? "" : " DEFAULT \(fallback)")
        try db.execute(sql: "ALTER TABLE \"\(name)\" ADD COLUMN \(definition)")
    }

    private func refusal(_ collection: Collection, _ field: String, _ reason: String) -> SchemaError {
        SchemaError(
            file: collection.name, pointer: "/properties/\(field)",
            reason: "\(reason). Put the field back as it was, or import an export into a new database file.")
    }
}
