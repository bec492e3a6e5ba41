package import SyncProtocol

/// The reads of a purge.
package protocol PurgeReads {
    /// At most `limit` ids of projects that are greater than `after`, sorted. Deleted projects are included.
    func projectIDs(after: String, limit: Int) throws -> [String]
    /// The last commit of the project that, like all commits before it, was made before `date`. Nil if there is none.
    /// Old commits are thinned, so the result may be up to one hour of commits too low, but never too high.
    func lastCommit(of project: String, before date: Instant) throws -> SyncSeq?
}
