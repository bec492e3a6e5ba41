import GRDB
import SyncProtocol

extension Replica {
    /// What a stored page left behind.
    struct Receipt: Sendable, Equatable {
        var state: ReplicaState
        /// Rows that a replacement did not name.
        var dropped: Int
        /// At the end of a drain: collections whose rows are not those that the server counted.
        var differing: [String] = []
    }

    /// Stores a page and, in the same transaction, its cursor, or the watermark when it is the drain's last: both are
    /// there afterwards or neither.
    ///
    /// A drain from 0 is a replacement of everything; another one of the collections in `replacing`. Unsent edits of rows
    /// that the server does not have any more go to `_set_aside`, as of `time`.
    ///
    /// Nil when the replica is not at `known` any more, because another process pulled too; nothing is stored then.
    /// Throws `SyncError.violation`, and stores nothing, when the drain named one of the rows before.
    func apply(
        _ page: PullPage, of schema: ServerSchema, after known: ReplicaState, replacing: [String] = [],
        at time: Timestamp
    ) throws -> Receipt? {
        try write(ifStill: known) { db in
            let next = known.advanced(by: page)
            let replaced = known.since == .zero ? schema.collections.map(\.name) : replacing
            for changes in page.changes {
                guard let collection = schema[changes.collection] else { continue }
                try CollectionWriter(
                    db: db, collection: collection, drain: next.drainNumber,
                    isReplacement: replaced.contains(collection.name), time: time
                ).apply(changes)
            }
            var receipt = Receipt(state: next, dropped: 0)
            if next.drain == nil {
                if known.since == .zero { try Self.recover(schema, next, db) }
                receipt.dropped = try Self.sweep(db, replaced.compactMap { schema[$0] }, next, time)
                try Self.forgetBatches(upTo: next.since, schema, db)
                if try !Self.isAhead(of: next.since, db) {
                    receipt.differing = try Self.differing(from: page.digests ?? [:], schema, db)
                }
            }
            try next.save(db)
            return receipt
        }
    }

    /// Drops the drain, and with `resync` the watermark; no row changes. Nil as for `apply`: what the server
    /// refused is not what the replica has by now.
    func reset(resync: Bool, after known: ReplicaState) throws -> ReplicaState? {
        try write(ifStill: known) { db in
            let next = known.reset(resync: resync)
            try next.save(db)
            return next
        }
    }

    /// Whether the answer to a batch told more than the drain did, so that its digests are out of date.
    private static func isAhead(of since: SyncSeq, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE timestamp > ?)", arguments: [since.rawValue])
            ?? false
    }

    /// The end of a replacement: what the server did not name is gone. Rows made here stay, and so do those of batches
    /// that were answered after the drain began.
    private static func sweep(
        _ db: Database, _ collections: [CollectionSchema], _ state: ReplicaState, _ time: Timestamp
    ) throws -> Int {
        try collections.reduce(0) { count, collection in
            let unnamed = """
                _drain <> \(state.drainNumber) AND id NOT IN (
                    SELECT id FROM _batch_row WHERE collection = :name AND batch IN (
                        SELECT number FROM _batch WHERE timestamp > \(state.since.rawValue)))
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
            return count + db.changesCount
        }
    }
}
