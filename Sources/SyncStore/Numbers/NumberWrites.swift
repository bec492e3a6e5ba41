package import SyncProtocol

/// Writes of the installation's commit numbers and of memberships over time.
package protocol NumberWrites {
    /// Records a commit under the number of this transaction. All commits of one transaction have the same number, at
    /// most one for each project; a later one replaces an earlier one.
    func number(_ commit: NumberedCommit) throws
    /// Records that the user is a member from this commit on. There must be no stint that still lasts.
    func beginStint(of user: Int64, in project: String, at seq: SyncSeq) throws
    /// Ends the stint that still lasts. Does nothing if there is none.
    func endStint(of user: Int64, in project: String, at seq: SyncSeq) throws
    /// Forgets commits made before `date`, except the last of each project and hour, and those that changed a gate or a
    /// membership. Looks at each commit once, at about `limit` commits a call. Returns how many it has looked at; fewer
    /// than `limit` once it is done. `date` must be more than an hour ago.
    func thinCommits(before date: Instant, limit: Int) throws -> Int
}
