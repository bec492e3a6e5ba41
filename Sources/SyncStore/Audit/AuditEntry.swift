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
