import GRDB
import SyncProtocol

/// Writes one page's changes to one collection, inside the page's transaction.
///
/// Nearly all rows have no unsent edits; each of them takes one statement. That statement skips rows with unsent edits,
/// which then take the slow path through `LocalRow.merged`.
///
/// A drain that began before a batch was answered may deliver an older state of a row than the answer did. The row's
/// version shows this, and the row keeps its values until the next drain. Only a replacement may bring older versions:
/// the server may have been restored from a backup. So may a row of another project: it is another row, with the id of
/// one that was purged.
final class CollectionWriter {
    private let db: Database
    private let collection: CollectionSchema
    private let table: String
    private let rows: RowTable
    private let drain: Int64
    private let replacement: Replacement
    /// The projects whose deleted ids are ignored: what becomes of their rows is decided at the end of the drain.
    private let left: Set<String>
    private let time: Instant
    /// The rows that are in no part any more, as far as this drain has not delivered them.
    private var outside: Set<String>
    /// The upsert for the columns of the previous row. The next row nearly always has the same columns.
    private var last: (has: [Bool], isReplacement: Bool, statement: Statement)?

    init(
        db: Database, collection: CollectionSchema, drain: Int64, replacement: Replacement, left: Set<String>,
        time: Instant
    ) throws {
        self.db = db
        self.collection = collection
        self.drain = drain
        self.replacement = replacement
        self.left = left
        self.time = time
        table = SQLName.quoted(collection.name)
        rows = RowTable(db, collection)
        outside = try OutsideRows(db: db).ids(of: collection.name)
    }

    func apply(_ changes: CollectionChanges) throws {
        for row in changes.created { try apply(row, bucket: .created) }
        for row in changes.updated { try apply(row, bucket: .updated) }
        for id in changes.deleted { try delete(id) }
        if !changes.left.isEmpty { try leave(changes.left) }
    }

    private func apply(_ row: WireRow, bucket: Bucket) throws {
        let isReplacement = replacement.covers(row.project(in: collection), of: collection.name)
        let upsert = try upsert(for: row, isReplacement)
        upsert.rewind()
        upsert.bind(row.id, at: 1)
        upsert.bind(row.version.rawValue, at: 2)
        var place: Int32 = 4
        for case .some(let value) in row.values {
            upsert.bind(value, at: place)
            place += 1
        }
        try upsert.execute()
        if db.changesCount == 0 { try merge(row, bucket: bucket, isReplacement: isReplacement) }
        if outside.remove(row.id) != nil { try OutsideRows(db: db).forget(row.id, of: collection.name) }
    }

    /// The upsert for the columns that the row has. An omitted column keeps its value, or gets
    /// its default when the row is new.
    private func upsert(for row: WireRow, _ isReplacement: Bool) throws -> Statement {
        if let last, last.isReplacement == isReplacement,
            zip(last.has, row.values).allSatisfy({ $0 == ($1 != nil) })
        {
            return last.statement
        }
        let has = row.values.map { $0 != nil }
        let fields = zip(collection.columns, has).filter(\.1).map(\.0.name)
        let statement = try db.cachedStatement(sql: upsertSQL(fields, isReplacement))
        statement.bindByPlace()
        statement.bind(drain, at: 3)
        last = (has, isReplacement, statement)
        return statement
    }

    private func upsertSQL(_ fields: [String], _ isReplacement: Bool) -> String {
        let names = (["id", "server_version", "_drain"] + fields).map(SQLName.quoted)
        let assignments = names.dropFirst().map { "\($0) = excluded.\($0)" }
        let isOther =
            collection.projectPlace == nil ? "" : " OR \(ProjectColumn.name) IS NOT excluded.\(ProjectColumn.name)"
        let isNews = isReplacement ? "" : "AND (server_version <= excluded.server_version\(isOther))"
        return """
            INSERT INTO \(table) (\(names.joined(separator: ", ")))
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (id) DO UPDATE SET \(assignments.joined(separator: ", "))
            WHERE _status = 'synced' AND _drain <> excluded._drain \(isNews)
            """
    }

    /// Merges the server's values into a row with unsent edits. The row is marked as delivered by this drain even when
    /// the server's values are ignored.
    private func merge(_ row: WireRow, bucket: Bucket, isReplacement: Bool) throws {
        guard try rows.drain(of: row.id) != drain else { throw twice(row.id) }
        if let local = try rows.row(row.id) {
            if local.isOther(than: row, collection) {
                try giveWay(local, to: row)
            } else if isReplacement || local.version <= row.version {
                var merged = local.merged(with: row, in: bucket, collection.columns)
                // Versions of another history name other states.
                if isReplacement { merged.base?.edited = [:] }
                try rows.save(merged)
            }
        }
        try rows.mark(row.id, drain: drain)
    }

    /// Replaces a row with unsent edits by a row of another project that has its id.
    private func giveWay(_ local: LocalRow, to row: WireRow) throws {
        let reason: ErrorCode = local.status == .created ? .idUnavailable : .deleted
        try SetAside(reason: reason.rawValue, time: time.text).copy(db, local.id, of: collection)
        // What is saved has no columns that only the app has: theirs would keep this row's values.
        try rows.remove(local.id)
        try rows.save(LocalRow(row, collection))
    }

    /// Deletes a row. The server's deletion wins over anything local; a row with unsent
    /// edits is copied to `_set_aside`.
    private func delete(_ id: String) throws {
        if try !left.isEmpty && rows.project(of: id).map(left.contains) ?? false { return }
        let delete = try db.cachedStatement(
            sql: "DELETE FROM \(table) WHERE id = ? AND _drain <> ? AND _status IN ('synced', 'deleted')")
        try delete.execute(arguments: [id, drain])
        guard db.changesCount == 0, let named = try rows.drain(of: id) else { return }
        guard named != drain else { throw twice(id) }
        try SetAside(reason: ErrorCode.deleted.rawValue, time: time.text).copy(db, id, of: collection)
        try rows.remove(id)
    }

    /// Drops rows that the part has no more. Those with unsent edits, or with answered ones that the drain may not
    /// contain, stay and are noted.
    private func leave(_ ids: [String]) throws {
        let isNamed = "id IN (SELECT value FROM json_each(:ids))"
        let named: StatementArguments = ["ids": JSON.array(ids.map(JSON.string)).text]
        let sql = "SELECT id FROM \(table) WHERE \(isNamed) AND _drain = \(drain)"
        if let id = try String.fetchOne(db, sql: sql, arguments: named) { throw twice(id) }
        _ = try OutsideRows(db: db).leave(collection.name, where: isNamed, named)
        try db.execute(sql: "UPDATE \(table) SET _drain = \(drain) WHERE \(isNamed)", arguments: named)
    }

    private func twice(_ id: String) -> SyncError {
        .violation("in `\(collection.name)`: row `\(id)` occurs twice in one drain")
    }
}

extension LocalRow {
    /// Whether the two rows belong to different projects.
    fileprivate func isOther(than row: WireRow, _ collection: CollectionSchema) -> Bool {
        collection.projectPlace != nil && row.project(in: collection) != values[ProjectColumn.name]?.string
    }

    /// The row as the server has it.
    fileprivate init(_ row: WireRow, _ collection: CollectionSchema) {
        let values = zip(collection.columns, row.values).map { ($0.name, $1 ?? $0.defaultValue) }
        self.init(id: row.id, version: row.version, values: Dictionary(uniqueKeysWithValues: values))
    }
}
