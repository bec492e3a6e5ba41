package import SyncProtocol

/// Something that somebody did to accounts, memberships, projects or the installation.
package struct AuditEntry: Sendable, Equatable {
    package let actor: Actor
    package let action: AuditAction
    /// The account that it was done to; nil if it was done to none.
    package let subject: Int64?
    /// Nil if it concerns no project or several.
    package let project: String?
    /// What else is known, as an object. Never a secret.
    package let details: [String: JSON]
    package let at: Instant

    package init(
        _ action: AuditAction, by actor: Actor, subject: Int64? = nil, project: String? = nil,
        details: [String: JSON] = [:], at: Instant
    ) {
        (self.action, self.actor, self.subject) = (action, actor, subject)
        (self.project, self.details, self.at) = (project, details, at)
    }
}

/// An entry of the list. Ids grow with time, except between entries that are made at the same moment.
package struct StoredAuditEntry: Sendable, Equatable {
    package let id: Int64
    package let content: AuditEntry

    package init(id: Int64, _ content: AuditEntry) { (self.id, self.content) = (id, content) }
}

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
        user: Int64? = nil, project: String? = nil, action: AuditAction? = nil, before: Int64? = nil, since: Instant
    ) {
        (self.user, self.project, self.action) = (user, project, action)
        (self.before, self.since) = (before, since)
    }

    /// Whether the entry is selected.
    package func holds(_ entry: StoredAuditEntry) -> Bool {
        let content = entry.content
        return content.at >= since && before.map { entry.id < $0 } ?? true
            && user.map { content.actor.userID == $0 || content.subject == $0 } ?? true
            && project.map { content.project == $0 } ?? true && action.map { content.action == $0 } ?? true
    }
}
