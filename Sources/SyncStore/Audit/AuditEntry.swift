package import SyncProtocol

/// Something that somebody did to accounts, memberships, projects or the installation.
package struct AuditEntry: Sendable, Equatable {
    package let actor: Actor
    /// An `AuditAction`, or the name of one that only a later version knows.
    package let action: String
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
        self.init(named: action.rawValue, by: actor, subject: subject, project: project, details: details, at: at)
    }

    /// An entry as it is stored.
    package init(
        named action: String, by actor: Actor, subject: Int64?, project: String?, details: [String: JSON], at: Instant
    ) {
        (self.action, self.actor, self.subject) = (action, actor, subject)
        (self.project, self.details, self.at) = (project, details, at)
    }
}
