package import SyncProtocol
package import SyncSchema

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
