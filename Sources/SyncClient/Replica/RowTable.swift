import GRDB
import SyncProtocol

/// One collection's table, inside a transaction.
struct RowTable {
    let db: Database
    let collection: CollectionSchema
    private let name: String

    init(_ db: Database, _ collection: CollectionSchema) {
        self.db = db
        self.collection = collection
        name = SQLName.quoted(collection.name)
    }

    /// The row, also when it was deleted here. Nil when there is none.
    func row(_ id: String) throws -> LocalRow? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM \(name) WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).map(read)
    }

    /// Rows with unsent edits, in the order in which they were created.
    func unsent() throws -> [LocalRow] {
        try Row.fetchAll(db, sql: "SELECT * FROM \(name) WHERE _status <> 'synced' ORDER BY rowid").map(read)
    }

    /// New and edited rows that refer to `id` in the column, alone or in a list.
    func unsent(referringTo id: String, in column: ColumnSchema) throws -> [LocalRow] {
        let value = SQLName.quoted(column.name)
        let refers =
            column.kind == .document
            ? "EXISTS (SELECT 1 FROM json_each(\(value)) WHERE json_each.value = ?)" : "\(value) = ?"
        let sql = "SELECT * FROM \(name) WHERE _status IN ('created', 'updated') AND \(refers)"
        return try Row.fetchAll(db, sql: sql, arguments: [id]).map(read)
    }

    /// Whether a batch that is still stored contains the row.
    func wasSent(_ id: String) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM _batch_row WHERE collection = ? AND id = ?)"
        return try Bool.fetchOne(db, sql: sql, arguments: [collection.name, id]) ?? false
    }

    /// Inserts or replaces the row. `_drain` stays as it is.
    func save(_ row: LocalRow) throws {
        let columns = collection.columns.map(\.name)
        let names = (["id", "server_version", "_status", "_changed", "_base"] + columns).map(SQLName.quoted)
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let assignments = names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks))
                ON CONFLICT (id) DO UPDATE SET \(assignments)
                """)
        let own: [(any DatabaseValueConvertible)?] = [
            row.id, row.version.rawValue, row.status.rawValue, row.changed.columnList, row.base?.text,
        ]
        let values = columns.map { SQLValue.encode(row.values[$0] ?? .null) as (any DatabaseValueConvertible)? }
        try statement.execute(arguments: StatementArguments(own + values))
    }

    func remove(_ id: String) throws {
        try db.cachedStatement(sql: "DELETE FROM \(name) WHERE id = ?").execute(arguments: [id])
    }

    /// The number of the last drain that delivered the row. Nil when there is no row.
    func drain(of id: String) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT _drain FROM \(name) WHERE id = ?"), arguments: [id])
    }

    /// The row's project, in a replica of all projects. Nil when there is no row.
    func project(of id: String) throws -> String? {
        let sql = "SELECT \(ProjectColumn.name) FROM \(name) WHERE id = ?"
        return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [id])
    }

    /// Records that the drain delivered the row.
    func mark(_ id: String, drain: Int64) throws {
        try db.cachedStatement(sql: "UPDATE \(name) SET _drain = ? WHERE id = ?").execute(arguments: [drain, id])
    }

    private func read(_ row: Row) throws -> LocalRow {
        guard let status = RowStatus(rawValue: row["_status"]) else {
            throw DatabaseError(message: "a row of \(name) has an unknown status")
        }
        var values: [String: JSON] = [:]
        for column in collection.columns {
            values[column.name] = try SQLValue.decode(row[column.name], as: column.kind)
        }
        return LocalRow(
            id: row["id"], version: ServerVersion(row["server_version"] as Int64), status: status,
            changed: Set(columnList: row["_changed"]), values: values,
            base: (row["_base"] as String?).flatMap(LocalRow.Base.init))
    }
}
