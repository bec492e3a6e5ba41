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
    /// A drain from 0 is a replacement of everything; another one of the collections in `replacing`. Unsent edits of
    /// rows that the server does not have any more go to `_set_aside`, as of `time`. The end of another drain may show
    /// that the server has lost the history that the watermark is of: the state has no watermark then (`DrainEnd`).
    ///
    /// Nil when the replica is not at `known` any more, because another process pulled too; nothing is stored then.
    /// Throws `SyncError.violation`, and stores nothing, when the drain named one of the rows before.
    func apply(
        _ page: PageResponse, of schema: ServerSchema, after known: ReplicaState, replacing: [String] = [],
        at time: Instant
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
                receipt = try DrainEnd(
                    db: db, schema: schema, state: next, isFromZero: known.since == .zero,
                    replaced: replaced.compactMap { schema[$0] }, time: time
                ).run(page.digests)
            }
            try receipt.state.save(db)
            receipt.state.answers = try Self.state(db).answers
            return receipt
        }
    }

    /// Drops the drain, and with `resync` the watermark; no row changes. Nil as for `apply`: what the server
    /// refused is not what the replica has by now.
    func reset(resync: Bool, after known: ReplicaState) throws -> ReplicaState? {
        try write(ifStill: known) { db in
            let next = try Self.state(db).reset(resync: resync)
            try next.save(db)
            return next
        }
    }
}
