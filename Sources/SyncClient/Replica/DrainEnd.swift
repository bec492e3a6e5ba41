import GRDB
import SyncProtocol

/// The end of a drain, in the transaction of its last page.
///
/// An answered batch is *open* where the drain cannot tell of it: the answer came after the drain was asked for, and
/// its commit is above the drain's. Of all others the drain has told, or the server does not have them any more: its
/// database was replaced by one with another history. Numbers alone do not show that, as those of two histories mean
/// different commits: what shows it is a drain that was asked for after an answer and ends below it, or, where the
/// numbers happen to fit, a digest that differs. Either voids the watermark, and the replacement that follows compares.
struct DrainEnd {
    let db: Database
    let schema: ServerSchema
    /// After the drain.
    let state: ReplicaState
    /// Whether the drain replaces everything.
    let isFromZero: Bool
    /// The collections that the drain replaces.
    let replaced: [CollectionSchema]
    let time: Instant

    func run(_ digests: [String: CollectionDigest]?) throws -> Replica.Receipt {
        if try !isFromZero && hasBatch("answer <= \(state.answersBefore) AND timestamp > \(state.since.rawValue)") {
            return Replica.Receipt(state: state.reset(resync: true), dropped: 0)
        }
        if isFromZero { try Replica.recover(batchesWhere: told, schema, state, db) }
        var receipt = Replica.Receipt(state: state, dropped: try sweep())
        try Replica.finishDeletions(ofBatchesWhere: told, schema, db)
        // The answer to an open batch told more than the drain did, so that the digests are out of date.
        let comparable = try hasBatch(open) ? nil : digests
        receipt.differing = try Replica.differing(from: comparable ?? [:], schema, db)
        if isFromZero || (comparable != nil && receipt.differing.isEmpty) {
            try Replica.forgetBatches(where: told, schema, db)
        } else if try !receipt.differing.isEmpty && hasBatch(told) {
            receipt.state = state.reset(resync: true)
        }
        return receipt
    }

    private var open: String { "timestamp > \(state.since.rawValue) AND answer > \(state.answersBefore)" }
    /// False of batches that have no answer.
    private var told: String { "(timestamp <= \(state.since.rawValue) OR answer <= \(state.answersBefore))" }

    private func hasBatch(_ condition: String) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE \(condition))") ?? false
    }

    /// What a replacement did not name is gone; answers how many rows that is. Rows made here stay, and so do those of
    /// open batches.
    private func sweep() throws -> Int { try replaced.reduce(0) { try $0 + sweep($1) } }

    private func sweep(_ collection: CollectionSchema) throws -> Int {
        let unnamed = """
            _drain <> \(state.drainNumber) AND id NOT IN (
                SELECT id FROM _batch_row WHERE collection = :name AND batch IN (
                    SELECT number FROM _batch WHERE \(open)))
            """
        let (table, name) = (SQLName.quoted(collection.name), ["name": collection.name])
        // As if never told: a server that was restored may have lost them.
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
