package import SyncProtocol
import SyncSchema

/// What a purge asks.
package protocol PurgeReads {
    /// Ids of all projects, deleted ones included, behind `after`.
    func projectIDs(after: String, limit: Int) throws -> [String]
    /// The greatest commit of the project such that it and all before it were made before `date`; nil for none. May be
    /// too low by what was committed within an hour.
    func lastCommit(of project: String, before date: Instant) throws -> SyncSeq?
}
