package import SyncProtocol

/// Reads of the installation's commit numbers and of memberships over time.
package protocol NumberReads {
    /// The number of the newest commit to any project; `CommitNumber.first` if there is none.
    func newestNumber() throws -> CommitNumber
    /// The number that the last restore jumped to; `CommitNumber.first` if there was none. Smaller numbers are of
    /// another history.
    func oldestNumber() throws -> CommitNumber
    /// The number of the newest commit to the project; nil if there is none.
    func newestNumber(of project: String) throws -> CommitNumber?
    /// The project's state at a number: the greatest `sync_seq` of its commits up to `number`. Nil if none is known. It
    /// may be lower than it was, because old commits are thinned, but never higher. It is never older than the last
    /// commit that changed a gate or a membership.
    func head(of project: String, at number: CommitNumber) throws -> SyncSeq?
    /// The number of the first known commit that brought the project's head to `seq` or beyond; nil if there is none.
    /// It is exact for commits that thinning keeps.
    func number(of seq: SyncSeq, in project: String) throws -> CommitNumber?
    /// The commits to the project after `number`, oldest first, at most `limit`.
    func commits(to project: String, after number: CommitNumber, limit: Int) throws -> [NumberedCommit]
    /// The commits to all projects after `number`, in the order of their numbers, at most `limit`.
    func commits(after number: CommitNumber, limit: Int) throws -> [PlacedCommit]
    /// The same with everything that is recorded of each commit.
    func numberedCommits(after number: CommitNumber, limit: Int) throws -> [(
        number: CommitNumber, commit: NumberedCommit
    )]
    /// The last number that thinning has looked at. All commits after it are still there. Nil if there was no thinning.
    func lastThinned() throws -> CommitNumber?
    /// The project's memberships that last, or ended with the commit `seq` or a later one, in undefined order.
    func members(of project: String, endingFrom seq: SyncSeq) throws -> [ProjectMember]
    /// All memberships of the user, past and present, sorted by project and `from`.
    func stints(of user: Int64) throws -> [Stint]
    /// The user's memberships in one project, sorted by `from`.
    func stints(of user: Int64, in project: String) throws -> [Stint]
}
