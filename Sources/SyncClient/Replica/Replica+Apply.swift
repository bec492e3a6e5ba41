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
    /// A drain from 0 is a replacement of everything; another one of the collections in `replacing`.
    ///
    /// Nil when the replica is not at `known` any more, because another process pulled too; nothing is stored then.
    /// Throws `PullError.violation`, and stores nothing, when the drain named one of the rows before.
    func apply(
        _ page: PullPage, of schema: ServerSchema, after known: ReplicaState, replacing: [String] = []
    ) throws -> Receipt? {
        try write(ifStill: known) { db in
            let next = known.advanced(by: page)
            for changes in page.changes {
                guard let collection = schema[changes.collection] else { continue }
                try CollectionWriter(db: db, collection: collection, drain: next.drainNumber).apply(changes)
            }
            var receipt = Receipt(state: next, dropped: 0)
            if next.drain == nil {
                let replaced = known.since == .zero ? schema.collections.map(\.name) : replacing
                receipt.dropped = try Self.sweep(db, replaced, drain: next.drainNumber)
                receipt.differing = try Self.differing(from: page.digests ?? [:], schema, db)
            }
            try next.save(db)
            return receipt
        }
    }

    /// Drops the drain, and with `resync` the watermark; no row changes. Nil as for `apply(_:of:after:)`: what the
    /// server refused is not what the replica has by now.
    func reset(resync: Bool, after known: ReplicaState) throws -> ReplicaState? {
        try write(ifStill: known) { db in
            let next = known.reset(resync: resync)
            try next.save(db)
            return next
        }
    }

    /// The end of a replacement: what the server did not name is gone. Rows with unsent changes stay.
    private static func sweep(_ db: Database, _ collections: [String], drain: Int64) throws -> Int {
        try collections.reduce(0) { count, name in
            try db.execute(
                sql: "DELETE FROM \(SQLName.quoted(name)) WHERE _drain <> ? AND _status = 'synced'",
                arguments: [drain])
            return count + db.changesCount
        }
    }
}
