import GRDB
import SyncProtocol

/// Writes one page's changes of one collection, inside the page's transaction.
///
/// Rows without unsent changes, nearly all, take one statement each; it leaves the others alone, and those then take
/// the slow path through `RowMerge`.
final class CollectionWriter {
    private let db: Database
    private let collection: CollectionSchema
    private let table: String
    private let drain: Int64
    /// The upsert for the columns of the row before, which the next row nearly always has too.
    private var upsert: (columns: [Int], statement: Statement)?

    init(db: Database, collection: CollectionSchema, drain: Int64) {
        self.db = db
        self.collection = collection
        self.drain = drain
        table = SQLName.quoted(collection.name)
    }

    func apply(_ changes: CollectionChanges) throws {
        for row in changes.created { try apply(row, bucket: .created) }
        for row in changes.updated { try apply(row, bucket: .updated) }
        for id in changes.deleted { try delete(id) }
    }

    private func apply(_ row: WireRow, bucket: RowMerge.Bucket) throws {
        let columns = row.values.indices.filter { row.values[$0] != nil }
        let statement = try upsert(columns)
        let fields = columns.map { SQLValue.encode(row.values[$0] ?? .null) }
        let own = [row.id.databaseValue, row.version.rawValue.databaseValue, drain.databaseValue]
        statement.setUncheckedArguments(StatementArguments(own + fields))
        try statement.execute()
        if db.changesCount == 0 { try merge(row, columns, bucket) }
    }

    /// Omitted columns keep what they have, or get their default when the row is new.
    private func upsert(_ columns: [Int]) throws -> Statement {
        if let upsert, upsert.columns == columns { return upsert.statement }
        let fields = columns.map { collection.columns[$0].name }
        let names = (["id", "server_version", "_drain"] + fields).map(SQLName.quoted)
        let assignments = names.dropFirst().map { "\($0) = excluded.\($0)" }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(names.joined(separator: ", ")))
                VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                ON CONFLICT (id) DO UPDATE SET \(assignments.joined(separator: ", "))
                WHERE _status = 'synced' AND _drain <> excluded._drain
                """)
        upsert = (columns, statement)
        return statement
    }

    /// A local delete counts as named by the drain even where the server's row is ignored.
    private func merge(_ row: WireRow, _ columns: [Int], _ bucket: RowMerge.Bucket) throws {
        let local = try local(row.id)
        guard local.drain != drain else { throw twice(row.id) }
        let merge = RowMerge(bucket: bucket, status: local.status, changed: local.changed)
        var values: [String: DatabaseValue] = ["_drain": drain.databaseValue]
        if merge.takesVersion { values["server_version"] = row.version.rawValue.databaseValue }
        if merge.revives { values.merge(["_status": "synced".databaseValue, "_changed": "".databaseValue]) { $1 } }
        for index in columns where merge.takes(collection.columns[index].name) {
            values[collection.columns[index].name] = SQLValue.encode(row.values[index] ?? .null)
        }
        try update(row.id, values)
    }

    private func local(_ id: String) throws -> (status: RowStatus, changed: String, drain: Int64) {
        let sql = "SELECT _status, _changed, _drain FROM \(table) WHERE id = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [id]),
            let status = RowStatus(rawValue: row["_status"])
        else { throw DatabaseError(message: "row \(id) of \(table) is in no known state") }
        return (status, row["_changed"], row["_drain"])
    }

    private func update(_ id: String, _ values: [String: DatabaseValue]) throws {
        let assignments = values.map { (sql: "\(SQLName.quoted($0.key)) = ?", value: $0.value) }
        try db.execute(
            sql: "UPDATE \(table) SET \(assignments.map(\.sql).joined(separator: ", ")) WHERE id = ?",
            arguments: StatementArguments(assignments.map(\.value) + [id.databaseValue]))
    }

    /// The server's delete wins over whatever is local.
    private func delete(_ id: String) throws {
        let delete = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE id = ? AND _drain <> ?")
        try delete.execute(arguments: [id, drain])
        guard db.changesCount == 0 else { return }
        let named = try db.cachedStatement(sql: "SELECT 1 FROM \(table) WHERE id = ?")
        if try Int.fetchOne(named, arguments: [id]) != nil { throw twice(id) }
    }

    private func twice(_ id: String) -> PullError {
        .violation("in `\(collection.name)`: row `\(id)` occurs twice in one drain")
    }
}
