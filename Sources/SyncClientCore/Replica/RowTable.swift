import GRDB
import GRDBSQLite
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

    /// The version at which a drain has delivered the row last; zero if none has. An answer's version is none: nobody
    /// here has seen the row as it is at that version.
    func drainedVersion(of row: LocalRow) throws -> ServerVersion {
        let statement = try db.cachedStatement(
            sql: """
                SELECT _drained.version FROM _drained JOIN _batch_row USING (batch, collection, id)
                WHERE collection = ? AND id = ? AND _batch_row.version = ? ORDER BY batch DESC LIMIT 1
                """)
        let arguments: StatementArguments = [collection.name, row.id, row.version.rawValue]
        return try Int64.fetchOne(statement, arguments: arguments).map { ServerVersion($0) } ?? row.version
    }

    /// Keeps that version, because the row gets the one in the batch's answer.
    func noteDrainedVersion(of row: LocalRow, batch: Int64) throws {
        let version = try drainedVersion(of: row).rawValue
        let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO _drained VALUES (?, ?, ?, ?)")
        try statement.execute(arguments: [batch, collection.name, row.id, version])
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

/// Converts between JSON values and what SQLite stores.
enum SQLValue {
    /// Stores booleans as 0 and 1, arrays and objects as JSON text.
    static func encode(_ value: JSON) -> DatabaseValue {
        switch value {
        case .null: .null
        case .bool(let bool): (bool ? 1 : 0).databaseValue
        case .int(let int): int.databaseValue
        case .double(let double): double.databaseValue
        case .string(let string): string.databaseValue
        case .array, .object: value.text.databaseValue
        }
    }

    /// The reverse of `encode`. `kind` says what a number or a text stands for. Without it,
    /// texts and numbers stay what they are.
    static func decode(_ value: DatabaseValue, as kind: ColumnSchema.Kind?) throws -> JSON {
        switch (value.storage, kind) {
        case (.null, _), (.blob, _): .null
        case (.int64(let int), .boolean): .bool(int != 0)
        case (.int64(let int), _): .int(int)
        case (.double(let double), _): JSON(double)
        case (.string(let text), .document): try JSON(parsing: text)
        case (.string(let text), _): .string(text)
        }
    }
}

/// Column names as `_changed` stores them: sorted and separated by commas, as in WatermelonDB.
extension Set<String> {
    init(columnList: String) { self.init(columnList.split(separator: ",").map(String.init)) }

    var columnList: String { sorted().joined(separator: ",") }
}

/// Binds a page's values without making an object for each. With GRDB's arguments, binding took a
/// third of the time of storing a page.
///
/// SQLite copies what is bound here, and keeps it until it is bound again. `execute()` runs the statement.
extension Statement {
    /// Must be called once, before the first `bind`. From then on GRDB treats the arguments as bound.
    func bindByPlace() { setUncheckedArguments(StatementArguments()) }

    /// Must be called before the first value of the next row: SQLite binds nothing to a statement that has run.
    func rewind() { sqlite3_reset(sqliteStatement) }

    /// Binds an integer. `place` counts from 1.
    func bind(_ value: Int64, at place: Int32) { sqlite3_bind_int64(sqliteStatement, place, value) }

    func bind(_ text: String, at place: Int32) {
        sqlite3_bind_text(sqliteStatement, place, text, Int32(text.utf8.count), Self.copied)
    }

    /// Binds booleans as 0 and 1, arrays and objects as JSON text, as `SQLValue` does.
    func bind(_ value: JSON, at place: Int32) {
        switch value {
        case .null: sqlite3_bind_null(sqliteStatement, place)
        case .bool(let flag): sqlite3_bind_int64(sqliteStatement, place, flag ? 1 : 0)
        case .int(let number): bind(number, at: place)
        case .double(let number): sqlite3_bind_double(sqliteStatement, place, number)
        case .string(let text): bind(text, at: place)
        case .array, .object: bind(value.text, at: place)
        }
    }

    /// `SQLITE_TRANSIENT`: SQLite copies the text before the call returns. In C it is a cast
    /// that Swift's importer can't express.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
