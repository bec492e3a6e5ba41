package import SyncProtocol

/// One membership of a user in a project, from beginning to end. Stints are never purged: they say of which projects a
/// user was a member when a watermark was handed out.
package struct Stint: Sendable, Hashable {
    package let project: String
    /// The commit that made the user a member.
    package let from: SyncSeq
    /// The commit that ended the membership; `SyncSeq.maximum` while it lasts.
    package let until: SyncSeq

    package init(project: String, from: SyncSeq, until: SyncSeq = .maximum) {
        (self.project, self.from, self.until) = (project, from, until)
    }

    /// Whether the user was a member when the project had this head.
    package func covers(_ head: SyncSeq) -> Bool { from <= head && head < until }
}
