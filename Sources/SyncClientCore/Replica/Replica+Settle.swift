import GRDB
import SyncProtocol

extension Replica {
    /// How the rows of an answered batch were settled.
    struct Receipts: Sendable, Equatable {
        /// Rows that the server accepted.
        var applied = 0
        /// Rows whose edit the server did not accept; `_set_aside` has a copy.
        var setAside = 0
        /// New rows that the server did not accept; they are held back.
        var refused = 0
    }

    /// Settles the batch's rows according to the answer, in one transaction. Nil when another process has done so.
    ///
    /// If the watermark became void between the request and the answer, nobody can tell which history the answer
    /// belongs to. A replacement that began in the meantime is then dropped. The one that begins after the answer
    /// either contains the batch or proves that it is lost.
    func settle(_ batch: UploadBatch, _ answer: UploadAnswer, at time: Instant) throws -> Receipts? {
        guard let schema = try localSchema() else { return nil }
        return try writeDurably { db in
            guard try Self.note(answer.timestamp ?? .zero, of: batch, db) else { return nil }
            let state = try Self.state(db)
            var receipts = Receipts()
            try Self.note(answer.timestamps, of: batch, schema: schema, in: db)
            let isSameHistory = state.epoch == batch.epoch
            let reached = isSameHistory ? try Self.reached(answer.timestamps, db) : []
            let isReached = isSameHistory && answer.timestamp.map { $0 <= state.since } ?? false
            for row in batch.rows {
                guard let collection = schema[row.collection] else { continue }
                let settler = RowSettler(
                    table: RowTable(db, collection), batch: batch.number, reached: reached, isReached: isReached,
                    isOfPart: !state.filter.isEverything, time: time)
                try settler.settle(row, fate: answer.fate(of: row), receipts: &receipts)
            }
            if state.epoch == batch.epoch {
                try Self.forgetBatches(where: BatchCondition(state: state).reached, db)
            } else {
                try state.reset(resync: true).save(db)
            }
            return receipts
        }
    }

    /// Numbers the answer. Returns false when the batch already has one.
    private static func note(_ timestamp: SyncSeq, of batch: UploadBatch, _ db: Database) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE _batch SET timestamp = ?, answer = (SELECT answers + 1 FROM _replica)
                WHERE id = ? AND timestamp IS NULL
                """, arguments: [timestamp.rawValue, batch.id])
        guard db.changesCount == 1 else { return false }
        try db.execute(sql: "UPDATE _replica SET answers = answers + 1")
        return true
    }

    /// Keeps the batch's commit in each project of which the replica still has a row of the batch. Where it has none,
    /// there is nothing that the server could lose; the user may have lost the project before the answer came.
    private static func note(
        _ timestamps: [String: SyncSeq], of batch: UploadBatch, schema: ServerSchema, in db: Database
    ) throws {
        guard schema.isForAllProjects else { return }
        let projects = try batch.rows.compactMap { row in
            try schema[row.collection].flatMap { try RowTable(db, $0).project(of: row.id) }
        }
        for (project, timestamp) in timestamps where projects.contains(project) {
            try db.execute(
                sql: "INSERT INTO _batch_project (batch, project, timestamp) VALUES (?, ?, ?)",
                arguments: [batch.number, project, timestamp.rawValue])
        }
    }

    /// The projects in which drains have reached these commits.
    private static func reached(_ timestamps: [String: SyncSeq], _ db: Database) throws -> Set<String> {
        try Set(
            timestamps.filter { project, timestamp in
                let sql = "SELECT EXISTS (SELECT 1 FROM _project WHERE id = ? AND head >= ?)"
                return try Bool.fetchOne(db, sql: sql, arguments: [project, timestamp.rawValue]) ?? false
            }.keys)
    }

    /// Holds the batch's rows back and forgets the batch. The server refused the request as a whole, so
    /// no row has an answer of its own.
    func refuse(_ batch: UploadBatch, _ refusal: UploadAnswer.Refusal) throws {
        try write { db in
            for row in batch.rows { try RowSettler.hold(row, refusals: [refusal], in: db) }
            try Self.drop(batch, db)
        }
    }

    /// Forgets the batches that match: drains have delivered everything that they did.
    static func forgetBatches(where condition: String, _ db: Database) throws {
        try finishDeletions(ofBatchesWhere: condition, db)
        try db.execute(sql: "DELETE FROM _batch WHERE \(condition)")
    }

    /// Removes rows whose deletion the server answered without sending a tombstone, in removed collections too.
    static func finishDeletions(ofBatchesWhere condition: String, _ db: Database) throws {
        for name in try editedTables(db) {
            let table = SQLName.quoted(name)
            try db.execute(
                sql: """
                    DELETE FROM \(table) WHERE _status = 'deleted' AND id IN (
                        SELECT id FROM _batch_row WHERE collection = :name AND bucket = 'deleted'
                        AND batch IN (SELECT number FROM _batch WHERE \(condition)))
                    """, arguments: ["name": name])
            try db.execute(
                sql: """
                    DELETE FROM _refused WHERE collection = :name
                    AND NOT EXISTS (SELECT 1 FROM \(table) WHERE id = _refused.id AND _status <> 'synced')
                    """, arguments: ["name": name])
        }
    }
}

/// Settles one row: stores what `Settlement` decides.
private struct RowSettler {
    let table: RowTable
    let batch: Int64
    /// The projects in which drains have delivered the batch's commit, in a replica of all projects.
    let reached: Set<String>
    /// Whether drains have delivered it, in a replica of one project.
    let isReached: Bool
    /// Whether the replica holds a part.
    let isOfPart: Bool
    let time: Instant

    /// Settles the row. What the server accepted stays in the batch until a drain has delivered it,
    /// because the server can still lose it.
    func settle(_ sent: SentRow, fate: UploadAnswer.Fate?, receipts: inout Replica.Receipts) throws {
        guard let local = try table.row(sent.id) else { return try sent.forget(batch: batch, table.db) }
        if case .applied(let version, let kept) = fate {
            if version > local.version { try table.noteDrainedVersion(of: local, batch: batch) }
            try sent.note(version, kept: kept, batch: batch, table.db)
        } else {
            try sent.forget(batch: batch, table.db)
        }
        guard let fate else {
            let silence = UploadAnswer.Refusal(
                field: nil, code: "unreported", detail: "The server's answer did not mention the row.")
            return try Self.hold(sent, refusals: [silence], in: table.db)
        }
        if try isGone(local, fate) {
            guard isOfPart else { return try remove(local, sent: sent, receipts: &receipts) }
            // Drains say nothing of a row in a project that the filter does not have.
            try OutsideRows(db: table.db).note(table.collection.name, where: "id = :id", ["id": local.id])
        }
        let settlement = try Settlement(of: local, sent: sent, fate: fate).gone(with: lostProject(of: local, fate))
        if let reason = settlement.lost {
            let aside = SetAside(reason: reason, time: time.text, refusals: settlement.reasons)
            try aside.copy(table.db, sent.id, of: table.collection)
        }
        if let row = settlement.row { try table.save(row) } else { try table.remove(sent.id) }
        try Self.hold(sent, refusals: settlement.refusals, in: table.db)
        receipts.count(settlement)
    }

    /// Whether the server has taken a new row, and no longer has it: drains have reached the commit, and none has
    /// delivered the row. Somebody has deleted it since, and its tombstone was purged; or the user does not see it.
    private func isGone(_ local: LocalRow, _ fate: UploadAnswer.Fate) throws -> Bool {
        guard case .applied = fate, local.version == ServerVersion(0), try table.drain(of: local.id) == 0 else {
            return false
        }
        guard table.collection.projectPlace != nil else { return isReached }
        return local.values[ProjectColumn.name]?.string.map(reached.contains) ?? false
    }

    /// Why the row's project is lost, if the server says so and drains do not name the project any more. Otherwise a
    /// drain is going to tell.
    private func lostProject(of local: LocalRow, _ fate: UploadAnswer.Fate) throws -> WipeReason? {
        guard case .notCreated(let refusals) = fate, let project = local.values[ProjectColumn.name]?.string,
            let reason = refusals.lazy.compactMap({ WipeReason(rawValue: $0.code) }).first
        else { return nil }
        let sql = "SELECT EXISTS (SELECT 1 FROM _project WHERE id = ?)"
        return try Bool.fetchOne(table.db, sql: sql, arguments: [project]) ?? false ? nil : reason
    }

    /// Removes the row. What was edited since it was sent is set aside.
    private func remove(_ local: LocalRow, sent: SentRow, receipts: inout Replica.Receipts) throws {
        try sent.forget(batch: batch, table.db)
        let isEdited = local.status == .created && local.changed.contains { local.values[$0] != sent.values[$0] }
        if isEdited {
            let aside = SetAside(reason: ErrorCode.deleted.rawValue, time: time.text)
            try aside.copy(table.db, local.id, of: table.collection)
        }
        try table.remove(local.id)
        receipts.applied += isEdited ? 0 : 1
        receipts.setAside += isEdited ? 1 : 0
    }

    /// Adds the reasons to `_refused`, which holds the row back.
    static func hold(_ row: SentRow, refusals: [UploadAnswer.Refusal], in db: Database) throws {
        for refusal in refusals {
            try db.execute(
                sql: "INSERT INTO _refused (collection, id, field, code, detail, existing) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    row.collection, row.id, refusal.field, refusal.code, refusal.detail, refusal.existing,
                ])
        }
    }
}

extension Replica.Receipts {
    fileprivate mutating func count(_ settlement: Settlement) {
        if !settlement.refusals.isEmpty {
            refused += 1
        } else if settlement.lost != nil {
            setAside += 1
        } else {
            applied += 1
        }
    }
}
