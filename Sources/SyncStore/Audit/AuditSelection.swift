package import SyncProtocol

/// Which entries a query returns; nil means all.
package struct AuditSelection: Sendable, Equatable {
    /// Entries that this user did, and those that were done to this user.
    package var user: Int64?
    package var project: String?
    package var action: AuditAction?
    /// Entries with smaller ids.
    package var before: Int64?
    /// Entries made at this moment or later.
    package var since: Instant

    package init(
        user: Int64? = nil, project: String? = nil, action: AuditAction? = nil, before: Int64? = nil,
        since: Instant = Instant(milliseconds: 0)
    ) {
        (self.user, self.project, self.action) = (user, project, action)
        (self.before, self.since) = (before, since)
    }

    /// Whether the entry is selected.
    package func holds(_ entry: StoredAuditEntry) -> Bool {
        let content = entry.content
        return content.at >= since && before.map { entry.id < $0 } ?? true
            && user.map { content.actor.userID == $0 || content.subject == $0 } ?? true
            && project.map { content.project == $0 } ?? true && action.map { content.action == $0.rawValue } ?? true
    }
}
