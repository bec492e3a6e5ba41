import Foundation
import GRDB
import GRDBSQLite
import SyncProtocol
package import SyncSchema
import SyncStore
package import SyncStoreSQL

/// A file that a copy makes. It gets its name when it is complete and on the disk.
package struct SQLiteCopyTarget: CopyTarget {
    package let name: String
    private let registry: Registry
    private var file: UnfinishedFile { UnfinishedFile(of: name, as: "copy") }

    package init(path: String, registry: Registry) { (name, self.registry) = (path, registry) }

    package func unfinished() throws -> DatabaseMove? {
        for ending in UnfinishedFile.companions where FileManager.default.fileExists(atPath: name + ending) {
            guard !FileManager.default.fileExists(atPath: name) else { break }
            throw StoreError(
                "\(name + ending) belongs to another file that was called \(name), and would damage the copy.",
                hint: "Move it to another folder, or choose another name for the copy.")
        }
        if FileManager.default.fileExists(atPath: name), (try? DatabaseFile(name).requireReadable()) != nil,
            let move = DatabaseMove(try DatabaseFile(name).setting(DatabaseMove.unfinishedMark))
        {
            return move
        }
        try file.requireFree()
        return nil
    }

    package func filling(_ body: (any CopyWriter) throws -> Void) throws {
        try file.make()
        defer { file.remove() }
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: Self.configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try body(SQLiteCopyWriter(db, registry))
                    return .commit
                }
            }
        } catch let error as DatabaseError {
            throw StoreError.unusable(name, error)
        }
        try file.publish()
    }

    package func finish() throws {
        do {
            try DatabaseQueue(path: name).inDatabase { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.set(DatabaseMove.unfinishedMark, to: nil)
            }
        } catch let error as DatabaseError {
            throw StoreError.unusable(name, error)
        }
    }

    /// Nothing of the file is needed if its making is interrupted. So there is no journal, and the disk is waited for
    /// once, before the file gets its name.
    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA cache_size = -262144
                    """)
            try RowChecksum.register(on: db)
        }
        return configuration
    }
}

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
        var names = table.list
        var values = table.columns.indices.map { "?\($0 + 1)" }
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
        try SQLiteTransaction(db, tables: CollectionTables(registry, dialect)).audit(entry)
    }

    func jump() throws -> RestoreJump {
        try SQLiteTransaction(db, tables: CollectionTables(registry, dialect)).jump(factor: RestoreJump.randomFactor())
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
