import GRDB
import SyncProtocol

extension Replica {
    /// The result of storing a page.
    struct Receipt: Sendable, Equatable {
        /// The replica's state afterwards.
        var state: ReplicaState
        /// Rows that were removed because a replacement did not contain them.
        var dropped: Int
        /// At the end of a drain: the collections whose rows do not match the server's digest.
        var differing: [String] = []
    }

    /// Stores a page, and in the same transaction its cursor, or the watermark if it is the drain's last page.
    /// Either all of it is stored or nothing.
    ///
    /// A drain from 0 replaces everything. Any other drain replaces the collections in `replacing`. Unsent edits
    /// of rows that the server no longer has go to `_set_aside`, with the time `time`. The end of a drain that
    /// is not from 0 may show that the server has lost the history that the watermark belongs to. The new state
    /// has no watermark then (`DrainEnd`).
    ///
    /// Returns nil, and stores nothing, when the replica's state is no longer `known` because another process pulled
    /// too. Throws `SyncError.violation`, and stores nothing, when the drain already contained one of the rows.
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

    /// Drops the drain, and with `resync` also the watermark. No row changes. Returns nil, and changes nothing, when
    /// the replica's state is no longer `known`: the server refused a state that the replica has left.
    func reset(resync: Bool, after known: ReplicaState) throws -> ReplicaState? {
        try write(ifStill: known) { db in
            let next = try Self.state(db).reset(resync: resync)
            try next.save(db)
            return next
        }
    }
}
