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
        /// The projects that these rows belong to; nil in a replica of one project.
        var differingProjects: [String]?
        /// At the end of a drain: the projects that the user has lost.
        var left: [LeftProject] = []
    }

    /// Stores a page, and in the same transaction its cursor, or the watermark if it is the drain's last page.
    /// Either all of it is stored or nothing.
    ///
    /// A drain from 0 replaces everything. Any other drain replaces the collections in `replacing`, and projects that
    /// the server serves as a whole. Unsent edits of rows that the server no longer has go to `_set_aside`, with the
    /// time `time`. The end of a drain that is not from 0 may show that the server has lost the history that the
    /// watermark belongs to. The new state has no watermark then (`DrainEnd`).
    ///
    /// Returns nil, and stores nothing, when the replica's state is no longer `known` because another process pulled
    /// too. Throws `SyncError.violation`, and stores nothing, when the drain already contained one of the rows.
    func apply(
        _ page: PageResponse, of schema: ServerSchema, after known: ReplicaState, replacing: Replacing = [],
        at time: Instant
    ) throws -> Receipt? {
        try write(ifStill: known) { db in
            let next = known.advanced(by: page)
            let projects =
                known.scope == .allProjects
                ? try DrainProjects.noting(page, isFirst: known.drain == nil, db) : DrainProjects()
            let replacement = Replacement(
                isWhole: known.since == .zero, asked: replacing, projects: projects.replaced)
            for changes in page.changes {
                guard let collection = schema[changes.collection] else { continue }
                try CollectionWriter(
                    db: db, collection: collection, drain: next.drainNumber,
                    replacement: replacement, left: Set(projects.left.keys), time: time
                ).apply(changes)
            }
            var receipt = Receipt(state: next, dropped: 0)
            if next.drain == nil {
                let settled = projects.settled(by: page)
                var replacement = replacement
                replacement.projects = settled.replaced
                receipt = try DrainEnd(
                    db: db, schema: schema, state: next, replacement: replacement, left: settled.left, time: time
                ).run(page)
            }
            try receipt.state.save(db)
            receipt.state.answers = try Self.state(db).answers
            return receipt
        }
    }

    /// Drops the drain, and with `resync` also the watermark. No row changes, except that in a replica of all projects
    /// the rows of new projects go, which come again. Returns nil, and changes nothing, when
    /// the replica's state is no longer `known`: the server refused a state that the replica has left.
    func reset(resync: Bool, after known: ReplicaState) throws -> ReplicaState? {
        try write(ifStill: known) { db in
            let state = try Self.state(db)
            let next = state.reset(resync: resync)
            try Self.dropDrain(of: state, before: next, Self.storedSchema(of: next, db), db)
            try next.save(db)
            return next
        }
    }

    /// Runs when a drain is dropped and the next one begins at the same watermark.
    static func dropDrain(
        of state: ReplicaState, before next: ReplicaState, _ schema: @autoclosure () throws -> ServerSchema?,
        _ db: Database
    ) throws {
        guard state.scope == .allProjects, state.drain != nil, next.drain == nil, next.since > .zero else { return }
        try forgetDrain(schema(), db)
    }
}
