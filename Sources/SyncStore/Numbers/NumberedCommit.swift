package import SyncProtocol

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
        (self.project, self.seq, self.at) = (project, seq, at)
        (self.audiences, self.changesSight) = (audiences, changesSight)
    }
}
