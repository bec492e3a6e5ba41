package import SyncProtocol
package import SyncSchema

/// The writes of a purge.
package protocol PurgeWrites {
    /// Removes tombstones of the collection, with their change histories. It removes those whose `sync_seq` is at most
    /// `upper` and that no row refers to, not even a tombstone. It examines at most `limit` rows.
    ///
    /// The caller starts at `.start` and goes on from each step's `next` until that is nil. It purges all collections
    /// that refer to this one first. Such a walk removes every tombstone that can go, however deep a tree of rows is.
    func purge(
        _ collection: Collection, project: String, upTo upper: SyncSeq, from position: PurgePosition, limit: Int
    ) throws -> PurgeStep
    /// Raises the project's purge horizon to `seq`. Does nothing if it is that high already.
    func raiseHorizon(of project: String, to seq: SyncSeq) throws
    /// Forgets former owners of the project's rows whose loss is at or below the purge horizon. No client needs them,
    /// because a watermark below the horizon has to start again from 0.
    func forgetFormerOwners(of project: String) throws
    /// Forgets the project's commits below the purge horizon that were made before `date`, except those that changed a
    /// gate or a membership.
    func forgetCommits(of project: String, before date: Instant) throws
}

/// The result of one step of a purge.
package struct PurgeStep: Sendable, Equatable {
    /// The number of tombstones that were removed.
    package var removed = 0
    /// The greatest `sync_seq` of the removed tombstones; zero if none was removed.
    package var largest = SyncSeq.zero
    /// Where the next step continues; nil if the collection is done.
    package var next: PurgePosition?

    package init() {}
}

/// Where the next step of a purge continues in a collection.
package struct PurgePosition: Sendable, Equatable {
    /// The last tombstone that was examined, by `(sync_seq, id)`.
    package var key: KeysetPosition
    /// Ids of rows of the same collection that a removed tombstone
    /// referred to. They are examined next, the last one first.
    package var parents: [String]

    package init(key: KeysetPosition, parents: [String] = []) {
        self.key = key
        self.parents = parents
    }

    /// Before the collection's first tombstone.
    package static let start = PurgePosition(key: KeysetPosition(seq: .zero, id: ""))
}
