import GRDB
import SyncProtocol

// The upload queue. At most one batch waits for its answer. Answered batches stay until a drain has delivered their
// commits: until then the server may be replaced by one that lost them.

extension Replica {
    /// What a push has to do next.
    enum NextBatch: Sendable, Equatable {
        /// The batch that was not answered yet; otherwise a new one of the unsent rows that
        /// are not held back. It is stored.
        case batch(UploadBatch)
        /// There is nothing to send.
        case nothing
        /// There is no watermark, so a batch could not say which state its edits are based on.
        case pullFirst
    }

    /// The batch to send, made in one transaction. Edits of columns that no client may write any more, or that the
    /// server lacks, are set aside instead, with the time `time`.
    func nextBatch(_ limits: BatchLimits, at time: Instant, newID: () -> String) throws -> NextBatch {
        guard let schemas = try schemas() else { return .pullFirst }
        return try writeDurably { db in
            if let waiting = try Self.waitingBatch(db) { return .batch(waiting) }
            guard try Self.state(db).since > .zero else { return .pullFirst }
            let dirty = try Self.dirtyRows(schemas, at: time, in: db)
            let rows = limits.prefix(of: SendingOrder.groups(dirty, schemas.fetched))
            guard rows.first != nil else { return .nothing }
            return .batch(try Self.store(rows, id: newID(), db))
        }
    }

    /// Whether a batch was answered that no comparison has confirmed.
    func hasAnsweredBatch() throws -> Bool {
        try read {
            try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE timestamp IS NOT NULL)") ?? false
        }
    }

    /// Forgets a batch of which nothing was applied. Its rows are still unsent, and go into other batches.
    func drop(_ batch: UploadBatch) throws { try write { try Self.drop(batch, $0) } }

    /// Deletes the batch by its id, since SQLite reuses the numbers.
    static func drop(_ batch: UploadBatch, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM _batch WHERE id = ? AND timestamp IS NULL", arguments: [batch.id])
    }

    private static func dirtyRows(
        _ schemas: SchemaCache.Schemas, at time: Instant, in db: Database
    ) throws -> [SentRow] {
        try schemas.fetched.collections.filter(\.isUploadable).flatMap { collection in
            let table = RowTable(db, schemas.local[collection.name] ?? collection)
            let held = try String.fetchSet(db, sql: heldBack, arguments: ["name": collection.name])
            return try table.unsent().filter { !held.contains($0.id) }.compactMap { row in
                let sent = SentRow(row, of: collection)
                guard sent.bucket == .updated, sent.changed.isEmpty else { return sent }
                let isKnown = row.changed.contains { collection[$0] != nil }
                let reason: ErrorCode = isKnown ? .readOnlyField : .unknownField
                try SetAside(reason: reason.rawValue, time: time.text).copy(db, row.id, of: table.collection)
                var back = row.takenBack
                for column in table.collection.columns(beyond: collection) {
                    back.values[column.name] = column.defaultValue
                }
                try table.save(back)
                return nil
            }
        }
    }

    /// SQL for the ids of the collection `:name` that are held back: refused rows, and deletions that wait for their
    /// tombstones.
    static var heldBack: String {
        """
        SELECT id FROM _refused WHERE collection = :name
        UNION SELECT id FROM _batch_row WHERE collection = :name AND bucket = 'deleted'
        """
    }

    private static func store(_ rows: [SentRow], id: String, _ db: Database) throws -> UploadBatch {
        let state = try state(db)
        let device = try String.fetchOne(db, sql: "SELECT device FROM _replica") ?? ""
        let body = UploadBatch.body(id: id, since: state.since, device: device, rows: rows)
        try db.execute(sql: "INSERT INTO _batch (id, body) VALUES (?, ?)", arguments: [id, body])
        let number = db.lastInsertedRowID
        for row in rows { try row.insert(db, batch: number) }
        return UploadBatch(number: number, id: id, body: body, rows: rows, epoch: state.epoch)
    }

    /// The batch that was sent and not answered, or nil.
    private static func waitingBatch(_ db: Database) throws -> UploadBatch? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM _batch WHERE timestamp IS NULL") else { return nil }
        return UploadBatch(
            number: row["number"], id: row["id"], body: row["body"], rows: try SentRow.of(batch: row["number"], db),
            epoch: try state(db).epoch)
    }
}

extension SentRow {
    static func of(batch number: Int64, _ db: Database) throws -> [SentRow] {
        try Row.fetchAll(db, sql: "SELECT * FROM _batch_row WHERE batch = ?", arguments: [number]).map(SentRow.init)
    }

    init(_ row: Row) throws {
        self.init(
            collection: row["collection"], id: row["id"], bucket: Bucket(rawValue: row["bucket"]) ?? .updated,
            changed: Set(columnList: row["changed"]),
            values: try JSON(parsing: row["content"] as String).object ?? [:])
    }

    /// Records that the server accepted the row, except for the columns in `kept`.
    func note(_ version: ServerVersion, kept: Set<String>, batch: Int64, _ db: Database) throws {
        let taken = changed.subtracting(kept).columnList
        let statement = try db.cachedStatement(
            sql: "UPDATE _batch_row SET version = ?, changed = ? WHERE collection = ? AND id = ? AND batch = ?")
        try statement.execute(arguments: [version.rawValue, taken, collection, id, batch])
    }

    /// Forgets the row: the server can no longer lose anything of it.
    func forget(batch: Int64, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM _batch_row WHERE collection = ? AND id = ? AND batch = ?")
        try statement.execute(arguments: [collection, id, batch])
    }

    fileprivate func insert(_ db: Database, batch: Int64) throws {
        let statement = try db.cachedStatement(sql: "INSERT INTO _batch_row VALUES (?, ?, ?, ?, ?, ?, NULL)")
        try statement.execute(arguments: [
            collection, id, batch, bucket.rawValue, changed.columnList,
            JSON.object(values).text,
        ])
    }
}

extension Replica {
    /// Runs at the end of a replacement. What the server answered and has lost since becomes unsent again.
    ///
    /// Nothing of a row is lost if the server has it at the answered version or above, or with the values that were
    /// sent. Other people's later edits then stay. If the server does not have an edited row at all, the sweep that
    /// follows treats it like any row with unsent edits.
    static func recover(
        batchesWhere condition: String, schema: ServerSchema, state: ReplicaState, in db: Database
    ) throws {
        let answered = "SELECT number FROM _batch WHERE \(condition) ORDER BY number"
        for number in try Int64.fetchAll(db, sql: answered) {
            for answer in try AnsweredRow.of(batch: number, db) {
                guard let collection = schema[answer.sent.collection] else { continue }
                let table = RowTable(db, collection)
                guard let local = try table.row(answer.sent.id) else { continue }
                let isNamed = try table.drain(of: local.id) == state.drainNumber
                if answer.sent.bucket == .deleted, isNamed { try answer.sent.forget(batch: number, db) }
                if let lost = answer.lost(local, isNamed: isNamed) { try table.save(lost) }
            }
        }
    }
}

/// A row of an answered batch, and its version in the answer.
private struct AnsweredRow {
    let sent: SentRow
    let version: ServerVersion

    static func of(batch number: Int64, _ db: Database) throws -> [AnsweredRow] {
        let sql = "SELECT * FROM _batch_row WHERE batch = ? AND version IS NOT NULL"
        return try Row.fetchAll(db, sql: sql, arguments: [number]).map {
            AnsweredRow(sent: try SentRow($0), version: ServerVersion($0["version"] as Int64))
        }
    }

    /// The row with the lost edits marked as unsent again, underneath later edits. Nil when the server lost nothing of
    /// it. `isNamed` says whether the replacement contained the row.
    func lost(_ local: LocalRow, isNamed: Bool) -> LocalRow? {
        if sent.bucket == .deleted { return isNamed ? local.deletedAgain : nil }
        guard !isNamed || local.version < version, local.status != .deleted else { return nil }
        var row = local
        if !isNamed && sent.bucket == .created {
            row.status = .created
            return row
        }
        let columns = (sent.bucket == .created ? Set(sent.values.keys) : sent.changed).subtracting(row.changed)
            .filter { !isNamed || sent.values[$0] != row.values[$0] }
        guard !columns.isEmpty else { return nil }
        if row.status == .synced { (row.base, row.status) = (row.asBase, .updated) }
        for column in columns {
            if isNamed { row.values[column] = sent.values[column] ?? row.values[column] }
            row.changed.insert(column)
        }
        return row
    }
}

extension LocalRow {
    /// The row marked as deleted again. Nil when it has newer unsent edits, or is already marked as deleted.
    fileprivate var deletedAgain: LocalRow? {
        guard status == .synced else { return nil }
        var row = self
        row.base = asBase
        row.status = .deleted
        return row
    }
}
