import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Reads the tables of a database, in the transaction of its session.
struct PostgreSQLCopyReader: CopyReader {
    /// The database's, as errors show it.
    let name: String
    let session: Session
    let registry: Registry
    var dialect: any SQLDialect { PostgreSQLDialect() }

    func columns(of table: String) throws -> [CopyTable.Column] {
        let own = OwnTables.columns[table] ?? []
        let rows = try session.ask(Self.columnsOfTable, [.string("\"\(table)\"")]).rows
        return rows.map { CopyTable.Column($0.string(0), CopyTable.ColumnType(oid: $0.integer(1))) }
            .filter { !own.contains($0.name) }
    }

    func setting(_ name: String) throws -> String? {
        try session.ask("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]).first?.string(0)
    }

    func count(_ table: CopyTable) throws -> Int {
        Int(try session.ask("SELECT count(*) FROM \(rows(of: table))", isKept: false).first?.integer(0) ?? 0)
    }

    /// The table without the settings that only this engine has.
    private func rows(of table: CopyTable) -> String {
        let condition = table.name == "tidemark_settings" ? " WHERE name <> '\(DatabaseLayout.ownSetting)'" : ""
        return "\"\(table.name)\"\(condition)"
    }

    func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        try session.fly()
        let count = table.columns.count
        let types = try columns(of: table.name).reduce(into: [:]) { $0[$1.name] = $1.type }
        let ordered = table.columns.map { types[$0.name] ?? $0.type }
        try withUnsafeTemporaryAllocation(of: Cell.self, capacity: count) { cells in
            try CopyFailure.translated(name) {
                try session.connection.each("SELECT \(table.list) FROM \(rows(of: table))", columns: count) { row in
                    for (place, type) in ordered.enumerated() {
                        cells.initializeElement(at: place, to: row.cell(Int32(place), type))
                    }
                    try read(UnsafeBufferPointer(cells))
                }
            }
        }
    }

    func lastKey(of table: String) throws -> Int64 {
        try max(lastGivenKey(of: table), largestKey(of: table))
    }

    func largestKey(of table: String) throws -> Int64 {
        try session.ask("SELECT COALESCE(MAX(id), 0) FROM \(table)", isKept: false).first?.integer(0) ?? 0
    }

    /// A sequence tells the last key that it gave, or the first one that it will give.
    func lastGivenKey(of table: String) throws -> Int64 {
        let sequence = try session.ask("SELECT pg_get_serial_sequence(?1, 'id')", [.string(table)]).first?.string(0)
        guard let sequence else { return 0 }
        let sql = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM \(sequence)"
        return try session.ask(sql, isKept: false).first?.integer(0) ?? 0
    }

    private static let columnsOfTable = """
        SELECT CAST(attname AS TEXT), CAST(atttypid AS BIGINT) FROM pg_attribute
        WHERE attrelid = to_regclass(?1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
        """
}

extension CopyTable.ColumnType {
    /// A type of `pg_type`.
    fileprivate init(oid: Int64) {
        switch oid {
        case 20: self = .integer
        case 21: self = .boolean
        case 701: self = .real
        default: self = .text
        }
    }
}

extension CopiedRow {
    fileprivate func cell(_ column: Int32, _ type: CopyTable.ColumnType) -> Cell {
        guard !isNull(column) else { return .null }
        return switch type {
        case .text: .text(text(column))
        case .integer, .boolean: .integer(integer(column))
        case .real: .double(double(column))
        }
    }
}
