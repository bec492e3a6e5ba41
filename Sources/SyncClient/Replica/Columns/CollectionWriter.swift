import GRDB
import SyncProtocol

/// Writes one page's changes to one collection, inside the page's transaction.
///
/// Nearly all rows have no unsent edits; each of them takes one statement. That statement skips rows with unsent edits,
/// which then take the slow path through `LocalRow.merged`.
///
/// A drain that began before a batch was answered may deliver an older state of a row than the answer did. The row's
/// version shows this, and the row keeps its values until the next drain. Only a replacement may bring older versions:
/// the server may have been restored from a backup.
final class CollectionWriter {
    private let db: Database
    private let collection: CollectionSchema
    private let table: String
    private let rows: RowTable
    private let drain: Int64
    private let isReplacement: Bool
    private let time: Instant
    /// The upsert for the columns of the previous row. The next row nearly always has the same columns.
    private var last: (has: [Bool], statement: Statement)?

    init(db: Database, collection: CollectionSchema, drain: Int64, isReplacement: Bool, time: Instant) {
        self.db = db
        self.collection = collection
        self.drain = drain
        self.isReplacement = isReplacement
        self.time = time
        table = SQLName.quoted(collection.name)
        rows = RowTable(db, collection)
    }

    func apply(_ changes: CollectionChanges) throws {
        for row in changes.created { try apply(row, bucket: .created) }
        for row in changes.updated { try apply(row, bucket: .updated) }
        for id in changes.deleted { try delete(id) }
    }

    private func apply(_ row: WireRow, bucket: Bucket) throws {
        let upsert = try upsert(for: row)
        upsert.rewind()
        upsert.bind(row.id, at: 1)
        upsert.bind(row.version.rawValue, at: 2)
        var place: Int32 = 4
        for case .some(let value) in row.values {
            upsert.bind(value, at: place)
            place += 1
        }
        try upsert.execute()
        if db.changesCount == 0 { try merge(row, bucket) }
    }

    /// The upsert for the columns that the row has. An omitted column keeps its value, or gets
    /// its default when the row is new.
    private func upsert(for row: WireRow) throws -> Statement {
        if let last, zip(last.has, row.values).allSatisfy({ $0 == ($1 != nil) }) { return last.statement }
        let has = row.values.map { $0 != nil }
        let statement = try db.cachedStatement(sql: upsertSQL(zip(collection.columns, has).filter(\.1).map(\.0.name)))
        statement.bindByPlace()
        statement.bind(drain, at: 3)
        last = (has, statement)
        return statement
    }

    private func upsertSQL(_ fields: [String]) -> String {
        let names = (["id", "server_version", "_drain"] + fields).map(SQLName.quoted)
        let assignments = names.dropFirst().map { "\($0) = excluded.\($0)" }
        let isNews = isReplacement ? "" : "AND server_version <= excluded.server_version"
        return """
            INSERT INTO \(table) (\(names.joined(separator: ", ")))
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (id) DO UPDATE SET \(assignments.joined(separator: ", "))
            WHERE _status = 'synced' AND _drain <> excluded._drain \(isNews)
            """
    }

    /// Merges the server's values into a row with unsent edits. The row is marked as delivered by this drain even when
    /// the server's values are ignored.
    private func merge(_ row: WireRow, _ bucket: Bucket) throws {
        guard try rows.drain(of: row.id) != drain else { throw twice(row.id) }
        if let local = try rows.row(row.id), isReplacement || local.version <= row.version {
            try rows.save(local.merged(with: row, in: bucket, collection.columns))
        }
        try rows.mark(row.id, drain: drain)
    }

    /// Deletes a row. The server's deletion wins over anything local; a row with unsent
    /// edits is copied to `_set_aside`.
    private func delete(_ id: String) throws {
        let delete = try db.cachedStatement(
            sql: "DELETE FROM \(table) WHERE id = ? AND _drain <> ? AND _status IN ('synced', 'deleted')")
        try delete.execute(arguments: [id, drain])
        guard db.changesCount == 0, let named = try rows.drain(of: id) else { return }
        guard named != drain else { throw twice(id) }
        try SetAside(reason: ErrorCode.deleted.rawValue, time: time.text).copy(db, id, of: collection)
        try rows.remove(id)
    }

    private func twice(_ id: String) -> SyncError {
        .violation("in `\(collection.name)`: row `\(id)` occurs twice in one drain")
    }
}
