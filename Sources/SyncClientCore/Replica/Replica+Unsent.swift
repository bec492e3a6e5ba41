import GRDB
import SyncProtocol

extension Replica {
    /// The rows that keep their unsent edits, because the server did not take them; in the order of the refusals. These
    /// are new rows that it refused to create, rows that make it refuse any request that contains them, and rows of
    /// collections that it once took edits of and takes none of now (`collection_not_uploadable`). They are not sent
    /// again until something is edited here, or `Syncer.push()`, `sync()` or `watch()` is called.
    public func refused() throws -> [RefusedRow] {
        try read { try Row.fetchAll($0, sql: "SELECT * FROM _refused ORDER BY rowid") }.map { row in
            RefusedRow(
                collection: row["collection"], id: row["id"], field: row["field"], code: row["code"],
                detail: row["detail"], existing: row["existing"])
        }
    }

    /// How many rows have edits that can still be sent: the server has not answered them yet, or has refused them for
    /// now (`refused()`). After `sync()` these are the refused ones, unless something was edited meanwhile. Copies set
    /// aside are not among them (`setAsideCount()`).
    public func unsentCount() throws -> Int { try read(Self.unsentCount) }

    static func unsentCount(_ db: Database) throws -> Int {
        try editedTables(db).reduce(0) { count, table in
            try count + (Int.fetchOne(db, sql: "SELECT count(*) \(unsent(table))") ?? 0)
        }
    }

    /// The tables that have unsent edits or once had some. Those of removed collections are among them: their rows are
    /// set aside by the next push.
    static func editedTables(_ db: Database) throws -> [String] {
        try tables(db).filter { try db.columns(in: $0).contains { $0.name == "_status" } }
    }

    /// Whether a push has anything to send now, or to set aside.
    func hasSomethingToSend() throws -> Bool {
        guard let schema = try schema() else { return try read(Self.hasWaitingBatch) }
        return try read { db in
            if try Self.hasWaitingBatch(db) || !Self.removedTables(schema, db).isEmpty { return true }
            return try schema.collections.filter(\.isUploadable).contains { collection in
                let sql = "SELECT EXISTS (SELECT 1 \(Self.unheld(collection)))"
                return try Bool.fetchOne(db, sql: sql, arguments: ["name": collection.name]) ?? false
            }
        }
    }

    private static func hasWaitingBatch(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE timestamp IS NULL)") ?? false
    }

    /// Gives a refused row up. If the server does not have the row, it is removed here. Otherwise the row returns to
    /// what the server sent last. Does nothing when the row is no longer refused, because it was edited or sent again.
    public func giveUp(_ refused: RefusedRow) throws {
        guard let collection = try localSchema()?[refused.collection] else { return }
        try writeDurably { db in
            let key: StatementArguments = [refused.collection, refused.id]
            try db.execute(sql: "DELETE FROM _refused WHERE collection = ? AND id = ?", arguments: key)
            let table = RowTable(db, collection)
            guard db.changesCount > 0, let row = try table.row(refused.id) else { return }
            if row.status == .created, row.base == nil {
                try table.remove(row.id)
            } else {
                try table.save(row.takenBack)
            }
        }
    }

    /// Releases all refused rows: the next batch may contain them again.
    func retryRefused() throws {
        guard try !refused().isEmpty else { return }
        try write { try $0.execute(sql: "DELETE FROM _refused") }
    }

    /// Holds back the unsent rows of collections that the server takes no edits of any more. Returns how many were not
    /// held back before.
    func holdNotUploadable() throws -> Int {
        let closed = try schema()?.collections.filter { !$0.isUploadable } ?? []
        let counts = try read { db in try closed.map { try Self.unheldCount(of: $0, db) } }
        guard counts.contains(where: { $0 > 0 }) else { return 0 }
        return try write { db in
            try closed.reduce(0) { count, collection in
                try db.execute(
                    sql: """
                        INSERT INTO _refused (collection, id, code, detail)
                        SELECT :name, id, :code, :detail \(Self.unheld(collection))
                        """,
                    arguments: [
                        "name": collection.name, "code": ErrorCode.collectionNotUploadable.rawValue,
                        "detail": "The server takes no edits of \(collection.name) from devices at present.",
                    ])
                return count + db.changesCount
            }
        }
    }

    private static func unheldCount(of collection: CollectionSchema, _ db: Database) throws -> Int {
        let sql = "SELECT count(*) \(unheld(collection))"
        return try Int.fetchOne(db, sql: sql, arguments: ["name": collection.name]) ?? 0
    }

    /// Selects the unsent rows that are not held back.
    private static func unheld(_ collection: CollectionSchema) -> String {
        "FROM \(SQLName.quoted(collection.name)) WHERE _status <> 'synced' AND id NOT IN (\(heldBack))"
    }

    /// Selects the unsent rows of a table. Deletions that the server has answered, and that only wait for
    /// the tombstone, are not among them.
    private static func unsent(_ table: String) -> String {
        "FROM \(SQLName.quoted(table)) WHERE _status <> 'synced' AND NOT \(isAnsweredDeletion(table))"
    }

    /// An SQL condition: the row is deleted, the server has answered that, and only the tombstone is missing.
    static func isAnsweredDeletion(_ table: String) -> String {
        """
        (_status = 'deleted' AND id IN (
            SELECT row.id FROM _batch_row row JOIN _batch ON _batch.number = row.batch
            WHERE row.collection = '\(table)' AND row.bucket = 'deleted' AND timestamp IS NOT NULL))
        """
    }
}

/// One reason why the server refused a row. A row with several reasons appears several times.
public struct RefusedRow: Sendable, Equatable {
    /// The row's collection.
    public let collection: String
    /// The row's id.
    public let id: String
    /// The field that is wrong; nil when the reason concerns the whole row.
    public let field: String?
    /// An error code of the sync protocol.
    public let code: String
    /// A sentence for a person.
    public let detail: String
    /// With the code `not_unique`: the id of the row of the same collection that has the key, if the caller may see it.
    public internal(set) var existing: String?
}

extension RefusedRow {
    init(_ collection: String, id: String, refusal: UploadAnswer.Refusal) {
        self.init(
            collection: collection, id: id, field: refusal.field, code: refusal.code, detail: refusal.detail,
            existing: refusal.existing)
    }
}
