import GRDB
import SyncProtocol

// The upload queue. At most one batch waits for its answer; those that are answered stay until a drain has reached their
// commit, because until then a server that was restored from a backup may not have them any more.

extension Replica {
    /// The batch to send: the one that was never answered, or a new one of what is dirty and not held back; nil when
    /// there is nothing to send. It is stored before this returns.
    func nextBatch(_ limits: BatchLimits, newID: () -> String) throws -> UploadBatch? {
        guard let schema = try schema() else { return nil }
        return try write { db in
            if let waiting = try Self.waitingBatch(db) { return waiting }
            let rows = limits.prefix(of: SendingOrder.sorted(try Self.dirtyRows(schema, db), schema))
            guard rows.first != nil else { return nil }
            return try Self.store(rows, id: newID(), db)
        }
    }

    /// Forgets a batch of which nothing was applied; its rows are dirty still, and go with other batches.
    func drop(_ batch: UploadBatch) throws {
        try write { db in
            try db.execute(
                sql: "DELETE FROM _batch WHERE number = ? AND timestamp IS NULL", arguments: [batch.number])
        }
    }

    private static func dirtyRows(_ schema: ServerSchema, _ db: Database) throws -> [SentRow] {
        try schema.collections.filter(\.isUploadable).flatMap { collection in
            let held = try String.fetchSet(
                db,
                sql: """
                    SELECT id FROM _refused WHERE collection = :name
                    UNION SELECT id FROM _batch_row WHERE collection = :name AND bucket = 'deleted'
                    """, arguments: ["name": collection.name])
            return try RowTable(db, collection).unsent().filter { !held.contains($0.id) }
                .map { SentRow($0, of: collection) }
        }
    }

    private static func store(_ rows: [SentRow], id: String, _ db: Database) throws -> UploadBatch {
        let state = try state(db)
        let device = try String.fetchOne(db, sql: "SELECT device FROM _replica") ?? ""
        let body = UploadBatch.body(id: id, since: state.since, device: device, rows: rows)
        try db.execute(sql: "INSERT INTO _batch (id, body) VALUES (?, ?)", arguments: [id, body])
        let number = db.lastInsertedRowID
        for row in rows { try row.insert(db, batch: number) }
        return UploadBatch(number: number, id: id, body: body, rows: rows)
    }

    private static func waitingBatch(_ db: Database) throws -> UploadBatch? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM _batch WHERE timestamp IS NULL") else { return nil }
        return UploadBatch(
            number: row["number"], id: row["id"], body: row["body"], rows: try SentRow.of(batch: row["number"], db))
    }
}

extension SentRow {
    static func of(batch number: Int64, _ db: Database) throws -> [SentRow] {
        try Row.fetchAll(db, sql: "SELECT * FROM _batch_row WHERE batch = ?", arguments: [number]).map { row in
            SentRow(
                collection: row["collection"], id: row["id"], bucket: Bucket(rawValue: row["bucket"]) ?? .updated,
                changed: Set((row["changed"] as String).split(separator: ",").map(String.init)),
                values: try JSON(parsing: row["content"] as String).object ?? [:])
        }
    }

    fileprivate func insert(_ db: Database, batch: Int64) throws {
        let statement = try db.cachedStatement(sql: "INSERT INTO _batch_row VALUES (?, ?, ?, ?, ?, ?)")
        try statement.execute(arguments: [
            collection, id, batch, bucket.rawValue, changed.sorted().joined(separator: ","),
            JSON.object(values).text,
        ])
    }
}
