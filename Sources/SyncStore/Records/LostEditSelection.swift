package import SyncProtocol

/// Which lost edits of all users a query returns; nil means all.
package struct LostEditSelection: Sendable, Equatable {
    /// The author.
    package var user: Int64?
    package var project: String?
    /// Entries with smaller ids.
    package var before: Int64?
    /// Entries made at this moment or later.
    package var since: Instant

    package init(
        user: Int64? = nil, project: String? = nil, before: Int64? = nil, since: Instant = Instant(milliseconds: 0)
    ) {
        (self.user, self.project, self.before, self.since) = (user, project, before, since)
    }
}
