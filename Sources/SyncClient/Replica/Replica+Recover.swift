import GRDB
import SyncProtocol

extension Replica {
    /// At the end of a replacement: what a server that was restored from a backup answered, and has lost, is dirty again.
    ///
    /// A server that has a row at the version that it answered, or above, has lost nothing of it, so that edits that
    /// others made since stand. Of a row that was edited and that the server does not have at all, the sweep that follows
    /// makes what becomes of unsent edits.
    static func recover(_ schema: ServerSchema, _ state: ReplicaState, _ db: Database) throws {
        let answered = "SELECT number FROM _batch WHERE timestamp <= ? ORDER BY number"
        for number in try Int64.fetchAll(db, sql: answered, arguments: [state.since.rawValue]) {
            for answer in try AnsweredRow.of(batch: number, db) {
                guard let collection = schema[answer.sent.collection] else { continue }
                let table = RowTable(db, collection)
                guard let local = try table.row(answer.sent.id) else { continue }
                let isNamed = try table.drain(of: local.id) == state.drainNumber
                if answer.sent.bucket == .deleted {
                    if isNamed { try answer.sent.forget(batch: number, db) }
                } else if let lost = answer.lost(local, isNamed: isNamed) {
                    try table.save(lost)
                }
            }
        }
    }
}

/// A row of an answered batch, and the version that the answer told.
private struct AnsweredRow {
    let sent: SentRow
    let version: ServerVersion

    static func of(batch number: Int64, _ db: Database) throws -> [AnsweredRow] {
        let sql = "SELECT * FROM _batch_row WHERE batch = ? AND version IS NOT NULL"
        return try Row.fetchAll(db, sql: sql, arguments: [number]).map {
            AnsweredRow(sent: try SentRow($0), version: ServerVersion($0["version"] as Int64))
        }
    }

    /// The row as dirty as it was when it was sent, under what was edited since; nil where the server lost nothing of it.
    func lost(_ local: LocalRow, isNamed: Bool) -> LocalRow? {
        guard !isNamed || local.version < version, local.status != .deleted else { return nil }
        var row = local
        if !isNamed && sent.bucket == .created {
            row.status = .created
            return row
        }
        if row.status == .synced { (row.base, row.status) = (row.asBase, .updated) }
        let columns = sent.bucket == .created ? Set(sent.values.keys) : sent.changed
        for column in columns.subtracting(row.changed) {
            if isNamed { row.values[column] = sent.values[column] ?? row.values[column] }
            row.changed.insert(column)
        }
        return row
    }
}
