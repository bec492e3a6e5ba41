import GRDB
import SyncProtocol

extension Replica {
    /// Runs at the end of a replacement. What the server answered and has lost since becomes unsent again.
    ///
    /// Nothing of a row is lost if the server has it at the answered version or above, or with the values that were
    /// sent. Other people's later edits then stay. If the server does not have an edited row at all, the sweep that
    /// follows treats it like any row with unsent edits.
    static func recover(
        batchesWhere condition: String, _ schema: ServerSchema, _ state: ReplicaState, _ db: Database
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
        (row.base, row.status) = (asBase, .deleted)
        return row
    }
}
