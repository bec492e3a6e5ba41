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

/// The installation's commit number: every logical write that touches synced rows draws the next one, however many
/// projects it touches. Each project's own number (`SyncSeq`) stands beside it, see `NumberedCommit`.
///
/// Numbers stay below 2^52. So a user-wide watermark, 2^52 plus a number, is never mistaken for a project's.
package struct CommitNumber: Sendable, Hashable, Comparable {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// The state of an empty installation. The first commit has the next number.
    package static let first = CommitNumber(1)

    /// Numbers, and the heads of projects, stay below it.
    package static let limit: Int64 = 1 << 52

    /// The number as a user-wide watermark on the wire. It is greater than every watermark of a project.
    package var watermark: Int64 { CommitNumber.limit + rawValue }

    /// Nil if `watermark` is not a user-wide one.
    package init?(watermark: Int64) {
        guard watermark > CommitNumber.limit else { return nil }
        rawValue = watermark - CommitNumber.limit
    }

    package static func < (one: CommitNumber, other: CommitNumber) -> Bool { one.rawValue < other.rawValue }
}

/// A commit to one project, with its number in the installation and in the project.
package struct NumberedCommit: Sendable, Hashable {
    package let project: String
    /// The project's head since this commit.
    package let seq: SyncSeq
    package let at: Instant
    /// Who may see something of the commit, judged by its rows before and after it.
    package let audiences: Set<CommitAudience>
    /// Whether the commit changed a gate or a membership. Thinning keeps it, so a project's head at such a commit stays
    /// exact.
    package let changesSight: Bool

    package init(
        project: String, seq: SyncSeq, at: Instant, audiences: Set<CommitAudience> = [.everyone],
        changesSight: Bool = true
    ) {
        self.project = project
        self.seq = seq
        self.at = at
        self.audiences = audiences
        self.changesSight = changesSight
    }
}

/// Users who may see something of a commit.
package enum CommitAudience: Hashable, Sendable {
    /// Members with this role or a higher one.
    case members(from: Role)
    /// One user, whatever the user's role.
    case user(Int64)

    /// Every member.
    package static let everyone = CommitAudience.members(from: .viewer)
}

/// Where a commit stands in the order of the installation.
package struct PlacedCommit: Sendable, Hashable {
    package let number: CommitNumber
    package let project: String
    /// Whether the commit changed a gate or a membership.
    package let changesSight: Bool

    package init(number: CommitNumber, project: String, changesSight: Bool) {
        self.number = number
        self.project = project
        self.changesSight = changesSight
    }
}

/// One membership of a project, with the user's present role.
package struct ProjectMember: Sendable, Hashable {
    package let user: Int64
    /// Nil for a user who is no longer a member.
    package let role: Role?
    package let stint: Stint

    package init(user: Int64, role: Role?, stint: Stint) {
        self.user = user
        self.role = role
        self.stint = stint
    }
}

/// One membership of a user in a project, from beginning to end. Stints are never purged: they say of which projects a
/// user was a member when a watermark was handed out.
package struct Stint: Sendable, Hashable {
    package let project: String
    /// The commit that made the user a member.
    package let from: SyncSeq
    /// The commit that ended the membership; `SyncSeq.maximum` while it lasts.
    package let until: SyncSeq

    package init(project: String, from: SyncSeq, until: SyncSeq = .maximum) {
        self.project = project
        self.from = from
        self.until = until
    }

    /// Whether the user was a member when the project had this head.
    package func covers(_ head: SyncSeq) -> Bool { from <= head && head < until }
}
