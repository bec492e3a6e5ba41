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
