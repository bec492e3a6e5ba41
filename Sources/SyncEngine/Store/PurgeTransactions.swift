package import SyncProtocol
package import SyncSchema

/// What a purge asks.
package protocol PurgeReads {
    /// Ids of all projects, deleted ones included, behind `after`.
    func projectIDs(after: String, limit: Int) throws -> [String]
    /// The greatest commit of the project such that it and all before it were made before `date`; nil for none. May be
    /// too low by what was committed within an hour.
    func lastCommit(of project: String, before date: Timestamp) throws -> SyncSeq?
}

/// What a purge does.
package protocol PurgeWrites {
    /// Removes tombstones of the collection whose number is not above `upper` and that no row refers to any more,
    /// tombstones included; their histories with them. Looks at `limit` rows at most. A walk from `.start` to the step
    /// without `next`, after the same for all collections that refer to this one, finds all of them, whatever the depth
    /// of a tree.
    func purge(
        _ collection: Collection, project: String, upTo upper: SyncSeq, from position: PurgePosition, limit: Int
    ) throws -> PurgeStep
    /// Raises the purge horizon, never lowers it.
    func raiseHorizon(of project: String, to seq: SyncSeq) throws
    /// Forgets former owners of rows that changed hands at the horizon or before, as no watermark is that old.
    func forgetFormerOwners(of project: String) throws
    /// Forgets when commits below `seq` were made.
    func forgetCommits(of project: String, below seq: SyncSeq) throws
}

/// Where a purge stands in a collection between two steps.
package struct PurgePosition: Sendable, Equatable {
    /// The last tombstone looked at.
    package var key: KeysetPosition
    /// Parents that lost a child, to be looked at next.
    package var parents: [String]

    package init(key: KeysetPosition, parents: [String] = []) {
        self.key = key
        self.parents = parents
    }

    package static let start = PurgePosition(key: KeysetPosition(seq: .zero, id: ""))
}

/// What one step of a purge did.
package struct PurgeStep: Sendable, Equatable {
    package var removed = 0
    /// The greatest number among the removed.
    package var largest = SyncSeq.zero
    /// Nil when the collection is done.
    package var next: PurgePosition?

    package init() {}
}
