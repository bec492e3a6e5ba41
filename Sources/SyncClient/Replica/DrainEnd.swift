import GRDB
import SyncProtocol

/// The end of a drain. It runs in the transaction of the drain's last page.
///
/// An answered batch is *open* when the drain can't contain it: the answer came after the drain was requested, and the
/// batch's commit is above the drain's timestamp, or above the head at which the drain read a project of the batch. All
/// other answered batches are in the drain, unless the server's database was replaced by one with another history.
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
    /// What the drain replaces. A drain from 0 replaces everything.
    let replacement: Replacement
    /// The projects that the user has lost.
    let left: [String: WipeReason]
    let time: Instant

    /// Settles the batches that the drain covers, removes rows that a replacement did not deliver and rows of lost
    /// projects, and compares the digests. The caller saves the state of the receipt.
    func run(_ page: PageResponse) throws -> Replica.Receipt {
        try note(nil)
        if let heads = page.heads {
            try Replica.adopt(heads, without: left.keys, isFromZero: replacement.isWhole, db)
        }
        if try !replacement.isWhole && hasBatch(batches.lost) {
            return Replica.Receipt(state: state.reset(resync: true), dropped: 0)
        }
        if replacement.isWhole { try Replica.recover(batchesWhere: batches.told, schema, state, db) }
        var receipt = Replica.Receipt(state: state, dropped: 0)
        receipt.left = try left.isEmpty ? [] : LostProjects(end: self).drop()
        receipt.dropped = try sweep()
        try Replica.finishDeletions(ofBatchesWhere: batches.told, schema, db)
        let comparison =
            state.scope == .allProjects ? try compared(page.projectDigests) : try compared(page.digests)
        receipt.differing = comparison.differing
        receipt.differingProjects = comparison.projects
        if !comparison.isEmpty { try note(comparison.differing.isEmpty ? "same" : "differs") }
        try forgetBatches(after: comparison, &receipt)
        return receipt
    }

    /// What became of a comparison.
    struct Comparison {
        /// The collections that differ, in the schema's order.
        var differing: [String] = []
        /// The projects that these are of, in a replica of all projects.
        var projects: [String]?
        /// The projects that were compared and are the same.
        var same: [String] = []
        /// Whether nothing was compared.
        var isEmpty = true
    }

    /// The answer to an open batch is newer than the drain, so the digests do not match the replica's rows.
    private func compared(_ digests: [String: CollectionDigest]?) throws -> Comparison {
        guard let digests, try !hasBatch(batches.open) else { return Comparison() }
        return Comparison(differing: try Replica.differing(from: digests, in: nil, schema, db), isEmpty: false)
    }

    /// Forgets the batches that the comparison confirms. If it differs, the server may have lost one.
    private func forgetBatches(after comparison: Comparison, _ receipt: inout Replica.Receipt) throws {
        if replacement.isWhole { return try Replica.forgetBatches(where: batches.told, schema, db) }
        guard comparison.differing.isEmpty else {
            if try hasBatch(batches.told) { receipt.state = state.reset(resync: true) }
            return
        }
        switch state.scope {
        case .project: if !comparison.isEmpty { try Replica.forgetBatches(where: batches.told, schema, db) }
        case .allProjects: try forgetParts(in: comparison.same)
        }
    }

    /// Keeps the result of the comparison, which the next requests tell the server; nil if there was none.
    private func note(_ comparison: String?) throws {
        try db.execute(sql: "UPDATE _replica SET compared = ?", arguments: [comparison])
    }

    var batches: BatchCondition { BatchCondition(state: state) }

    private func hasBatch(_ condition: String) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE \(condition))") ?? false
    }

    /// Removes the rows that a replacement did not deliver, and returns how many. Rows created here stay,
    /// and so do the rows of open batches.
    private func sweep() throws -> Int {
        try schema.collections.reduce(0) { count, collection in
            guard let covered = replacement.condition(on: collection.name) else { return count }
            return try count + sweep(collection, where: covered)
        }
    }

    private func sweep(_ collection: CollectionSchema, where covered: String) throws -> Int {
        let unnamed = """
            \(covered) AND _drain <> \(state.drainNumber) AND id NOT IN (
                SELECT id FROM _batch_row WHERE collection = :name AND batch IN (
                    SELECT number FROM _batch WHERE \(batches.open)))
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
