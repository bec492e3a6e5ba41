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

    func row(_ id: String) throws -> LocalRow? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM \(name) WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).map(read)
    }

    /// Rows that owe the server something, in the order in which they were made.
    func unsent() throws -> [LocalRow] {
        try Row.fetchAll(db, sql: "SELECT * FROM \(name) WHERE _status <> 'synced' ORDER BY rowid").map(read)
    }

    /// Puts the row in, or in the place of the one that was there; `_drain` stays.
    func save(_ row: LocalRow) throws {
        let columns = collection.columns.map(\.name)
        let names = (["id", "server_version", "_status", "_changed", "_base"] + columns).map(SQLName.quoted)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                ON CONFLICT (id) DO UPDATE SET \(names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
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

    /// The drain that named the row last.
    func drain(of id: String) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT _drain FROM \(name) WHERE id = ?"), arguments: [id])
    }

    /// The drain has named the row.
    func mark(_ id: String, drain: Int64) throws {
        try db.cachedStatement(sql: "UPDATE \(name) SET _drain = ? WHERE id = ?").execute(arguments: [drain, id])
    }

    private func read(_ row: Row) throws -> LocalRow {
        guard let status = RowStatus(rawValue: row["_status"]) else {
            throw DatabaseError(message: "a row of \(name) is in no known state")
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
