import GRDB
import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Fills a new file, in the transaction of its connection. Foreign keys are off.
struct SQLiteCopyWriter: CopyWriter {
    let reader: SQLiteCopyReader
    private var db: Database { reader.db }

    init(_ db: Database, _ registry: Registry) { reader = SQLiteCopyReader(db: db, registry: registry) }

    func makeTables(_ tables: [CopyTable]) throws {
        for statement in SQLiteDialect.systemTables.creation.tables + AccountChanges.statements {
            try db.execute(sql: statement)
        }
        for table in tables {
            switch table.kind {
            case .system: break
            case .collection:
                let layout = TableLayout(registry.collection(table.name), registry)
                try db.execute(sql: layout.createTable(kept: table.keptColumns(beside: layout)))
            case .removed: try db.execute(sql: table.createRemoved(dialect))
            }
        }
    }

    func fill(_ table: CopyTable, _ rows: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Void) throws {
        let statement = try db.makeStatement(sql: insert(into: table))
        try withExtendedLifetime(statement) {
            let raw = RawRows(statement.sqliteStatement)
            try rows { row in
                raw.reset()
                for (place, cell) in zip(Int32(1)..., row) { raw.bind(cell, at: place) }
                while try raw.step(db) {}
            }
        }
    }

    private func insert(into table: CopyTable) -> String {
        var (names, values) = (table.list, table.columns.indices.map { "?\($0 + 1)" })
        if table.kind == .collection {
            let collection = registry.collection(table.name)
            let sealed = SystemColumn.allCases.map(\.name) + collection.fields.map(\.name)
            values.append(RowChecksum.expression(of: sealed.map { "?\((table.place(of: $0) ?? 0) + 1)" }))
            names += ", row_checksum"
        }
        return "INSERT INTO \"\(table.name)\" (\(names)) VALUES (\(values.joined(separator: ", ")))"
    }

    func complete(_ tables: [CopyTable]) throws {
        do {
            for statement in SQLiteDialect.systemTables.creation.indexes { try db.execute(sql: statement) }
            for collection in registry.collections {
                let layout = TableLayout(collection, registry)
                let indexes = try layout.indexesToMake { try db.first($0) { _ in true } != nil }
                for (_, statement) in indexes { try db.execute(sql: statement) }
            }
            try db.checkForeignKeys()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw StoreError(
                "The source is not sound: \(error.message ?? "a constraint fails"). Nothing was copied.",
                hint: "Run `tidemark check` on the source.")
        }
        try db.execute(sql: "PRAGMA application_id = \(DatabaseFile.mark)")
    }

    func setLastKey(_ key: Int64, of table: String) throws {
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?1", arguments: [table])
        try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", arguments: [table, key])
    }

    func set(_ setting: String, to value: String) throws { try db.set(setting, to: value) }

    func audit(_ entry: AuditEntry) throws {
        try SQLiteTransaction(db, CollectionTables(registry, dialect)).audit(entry)
    }

    func jump() throws -> RestoreJump {
        try SQLiteTransaction(db, CollectionTables(registry, dialect)).jump(factor: RestoreJump.randomFactor())
    }
}

extension RawRows {
    /// Binds a value, whose text has to outlive the next step.
    fileprivate func bind(_ cell: Cell, at place: Int32) {
        switch cell {
        case .null: sqlite3_bind_null(statement, place)
        case .integer(let number): sqlite3_bind_int64(statement, place, number)
        case .double(let number): sqlite3_bind_double(statement, place, number)
        case .text(let bytes) where bytes.isEmpty: sqlite3_bind_text(statement, place, "", 0, nil)
        case .text(let bytes):
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(statement, place, $0.baseAddress, Int32($0.count), nil)
            }
        }
    }
}
