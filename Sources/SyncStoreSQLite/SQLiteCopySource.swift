import GRDB
import GRDBSQLite
import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL

/// A file that is copied. It is held as a server holds it, so no server may be running on it. Commands that want to
/// write meanwhile wait, and fail once the file is marked.
package struct SQLiteCopySource: CopySource {
    package let name: String
    private let registry: Registry
    private let mender: any RowMender

    package init(path: String, registry: Registry, mender: any RowMender) {
        name = path
        self.registry = registry
        self.mender = mender
    }

    package func movedTo() throws -> DatabaseMove? {
        try DatabaseFile(name).requireReadable()
        return DatabaseMove(try DatabaseFile(name).setting(DatabaseMove.movedMark))
    }

    package func reading(_ body: (any CopyReader) throws -> DatabaseMove?) throws {
        let store = try SQLiteStore(
            path: name, registry: registry, opener: .sole, mender: mender, mustExist: true)
        do {
            try store.failures.translated {
                try store.pool.writeWithoutTransaction { db in
                    try db.inTransaction(.immediate) {
                        let move = try body(SQLiteCopyReader(db: db, registry: registry))
                        if let move { try db.set(DatabaseMove.movedMark, to: move.text) }
                        return .commit
                    }
                }
            }
        } catch {
            try? store.close()
            throw error
        }
        try? store.close()
    }
}

/// Reads the tables of a file, in the transaction of its connection.
struct SQLiteCopyReader: CopyReader {
    let db: Database
    let registry: Registry
    var dialect: any SQLDialect { SQLiteDialect() }

    func columns(of table: String) throws -> [CopyTable.Column] {
        try db.all("SELECT name, type FROM pragma_table_info(?1) WHERE name <> 'row_checksum'", [.string(table)]) {
            CopyTable.Column($0.string(0), CopyTable.ColumnType(sqlite: $0.string(1)))
        }
    }

    func setting(_ name: String) throws -> String? { try db.setting(name) }

    func count(_ table: CopyTable) throws -> Int {
        Int(try db.first("SELECT count(*) FROM \"\(table.name)\"") { $0.integer(0) } ?? 0)
    }

    /// Throws a `StoreError` if a row's checksum does not match its values.
    func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        do {
            try eachRow(of: table, read)
        } catch let error as DatabaseError where error.saysDamage && error.resultCode != .SQLITE_CONSTRAINT {
            throw StoreError.damaged(by: error)
        }
    }

    private func eachRow(of table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        let checksum = try checksum(of: table).map { ", row_checksum IS \($0)" } ?? ""
        let count = table.columns.count
        try withUnsafeTemporaryAllocation(of: Cell.self, capacity: count) { cells in
            let sql = "SELECT \(table.list)\(checksum) FROM \"\(table.name)\" NOT INDEXED"
            try db.each(sql, isKept: false) { row in
                for place in 0..<count { cells.initializeElement(at: place, to: row.cell(Int32(place))) }
                guard checksum.isEmpty || row.integer(Int32(count)) == 1 else { throw damaged(row, of: table) }
                try read(UnsafeBufferPointer(cells))
                return true
            }
        }
    }

    /// Nil if the table has no checksums.
    private func checksum(of table: CopyTable) throws -> String? {
        guard table.kind == .collection else { return nil }
        return TableLayout(registry.collection(table.name), registry).rowChecksum
    }

    private func damaged(_ row: RawRows, of table: CopyTable) -> StoreError {
        let id = table.place(of: SystemColumn.id.name).map { row.string(Int32($0)) } ?? ""
        return StoreError(
            "The row \(id) of \(table.name) is damaged: its checksum differs. Nothing was copied.",
            hint: "Run `tidemark check` on the source. It says what to do.")
    }

    func lastKey(of table: String) throws -> Int64 {
        let assigned = try db.first("SELECT seq FROM sqlite_sequence WHERE name = ?1", [.string(table)]) {
            $0.integer(0)
        }
        return max(assigned ?? 0, try db.first("SELECT MAX(id) FROM \(table)") { $0.integer(0) } ?? 0)
    }
}

extension CopyTable.ColumnType {
    fileprivate init(sqlite type: String) {
        switch type {
        case "INTEGER": self = .integer
        case "REAL": self = .real
        default: self = .text
        }
    }
}

extension RawRows {
    /// The value in the column, as it is stored.
    fileprivate func cell(_ column: Int32) -> Cell {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .double(double(column))
        default: .text(bytes(column) ?? UnsafeBufferPointer(start: nil, count: 0))
        }
    }
}
