import GRDB
import SyncProtocol

/// The end of a drain. It runs in the transaction of the drain's last page.
///
/// An answered batch is *open* when the drain can't contain it: the answer came after the drain was requested, and the
/// batch's commit is above the drain's timestamp. All other answered batches are in the drain, unless the server's
/// database was replaced by one with another history.
///
/// Commit numbers alone do not show such a replacement, since the same number means different commits in two
/// histories. Two things do show it. Either a drain was requested after an answer and ends below that
/// answer's commit; or the numbers happen to fit, but a digest differs. Both void the watermark. The
/// replacement that follows compares all rows.
struct DrainEnd {
    let db: Database
    let schema: ServerSchema
    /// The replica's state after the drain.
    let state: ReplicaState
    /// Whether the drain began at 0 and so replaces everything.
    let isFromZero: Bool
    /// The collections that the drain replaces.
    let replaced: [CollectionSchema]
    let time: Instant

    /// Settles the batches that the drain covers, removes rows that a replacement did not deliver, and compares the
    /// digests. The caller saves the state of the receipt.
    func run(_ digests: [String: CollectionDigest]?) throws -> Replica.Receipt {
        try note(nil)
        if try !isFromZero && hasBatch("answer <= \(state.answersBefore) AND timestamp > \(state.since.rawValue)") {
            return Replica.Receipt(state: state.reset(resync: true), dropped: 0)
        }
        if isFromZero { try Replica.recover(batchesWhere: told, schema, state, db) }
        var receipt = Replica.Receipt(state: state, dropped: try sweep())
        try Replica.finishDeletions(ofBatchesWhere: told, schema, db)
        // The answer to an open batch is newer than the drain, so the digests do not match the replica's rows.
        let comparable = try hasBatch(open) ? nil : digests
        receipt.differing = try Replica.differing(from: comparable ?? [:], schema, db)
        try note(comparable == nil ? nil : receipt.differing.isEmpty ? "same" : "differs")
        if isFromZero || (comparable != nil && receipt.differing.isEmpty) {
            try Replica.forgetBatches(where: told, schema, db)
        } else if try !receipt.differing.isEmpty && hasBatch(told) {
            receipt.state = state.reset(resync: true)
        }
        return receipt
    }

    /// Keeps the result of the comparison, which the next requests tell the server; nil if there was none.
    private func note(_ comparison: String?) throws {
        try db.execute(sql: "UPDATE _replica SET compared = ?", arguments: [comparison])
    }

    private var open: String { "timestamp > \(state.since.rawValue) AND answer > \(state.answersBefore)" }
    /// False for batches without an answer.
    private var told: String { "(timestamp <= \(state.since.rawValue) OR answer <= \(state.answersBefore))" }

    private func hasBatch(_ condition: String) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE \(condition))") ?? false
    }

    /// Removes the rows that a replacement did not deliver, and returns how many. Rows created here stay,
    /// and so do the rows of open batches.
    private func sweep() throws -> Int { try replaced.reduce(0) { try $0 + sweep($1) } }

    private func sweep(_ collection: CollectionSchema) throws -> Int {
        let unnamed = """
            _drain <> \(state.drainNumber) AND id NOT IN (
                SELECT id FROM _batch_row WHERE collection = :name AND batch IN (
                    SELECT number FROM _batch WHERE \(open)))
            """
        let (table, name) = (SQLName.quoted(collection.name), ["name": collection.name])
        // These rows count as never sent again: a restored server may have lost them.
        try db.execute(
            sql: """
                UPDATE \(table) SET server_version = 0, _base = NULL
                WHERE _status = 'created' AND server_version > 0 AND \(unnamed)
                """, arguments: StatementArguments(name))
        let edited = try String.fetchAll(
            db, sql: "SELECT id FROM \(table) WHERE _status = 'updated' AND \(unnamed)",
            arguments: StatementArguments(name))
        let aside = SetAside(reason: ErrorCode.notFound.rawValue, time: time.text)
        for id in edited { try aside.copy(db, id, of: collection) }
        try db.execute(
            sql: "DELETE FROM \(table) WHERE _status <> 'created' AND \(unnamed)",
            arguments: StatementArguments(name))
        return db.changesCount
    }
}
