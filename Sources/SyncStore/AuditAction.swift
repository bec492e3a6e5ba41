import Foundation
package import SyncProtocol

/// What the audit list keeps. The names are part of the API and of stored entries: they never change.
package enum AuditAction: String, Sendable, CaseIterable {
    // MARK: Accounts and their credentials

    case userAdded = "user_added"
    case userRenamed = "user_renamed"
    case userDisabled = "user_disabled"
    case userEnabled = "user_enabled"
    case userRemoved = "user_removed"
    /// The user's own password, by the user.
    case passwordChanged = "password_changed"
    /// By somebody else.
    case passwordSet = "password_set"
    case identityLinked = "identity_linked"
    case tokenCreated = "token_created"
    case tokenRevoked = "token_revoked"
    case sessionRevoked = "session_revoked"
    /// All tokens and sessions of a user.
    case credentialsRevoked = "credentials_revoked"
    case deviceForgotten = "device_forgotten"

    // MARK: Memberships

    case memberAdded = "member_added"
    case roleChanged = "role_changed"
    case memberRemoved = "member_removed"

    // MARK: Projects

    case projectCreated = "project_created"
    case projectArchived = "project_archived"
    case projectUnarchived = "project_unarchived"
    case projectDeleted = "project_deleted"
    /// Rows that were added to an existing project by other means than its own API.
    case rowsImported = "rows_imported"

    // MARK: The installation

    case backupMade = "backup_made"
    case checked = "checked"
    case purged = "purged"
    case restored = "restored"
    case promoted = "promoted"
    case schemaPruned = "schema_pruned"
    case copied = "copied"
}

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
        self.action = action
        self.actor = actor
        self.subject = subject
        self.project = project
        self.details = details
        self.at = at
    }
}

/// An entry of the list. Ids grow with time, except between entries that are made at the same moment.
package struct StoredAuditEntry: Sendable, Equatable {
    package let id: Int64
    package let content: AuditEntry

    package init(id: Int64, _ content: AuditEntry) { (self.id, self.content) = (id, content) }
}

/// Who does something that the audit list keeps, and from where.
package struct Actor: Sendable, Equatable {
    /// Nil for whoever runs a command on a machine that has the database.
    package let userID: Int64?
    /// The user's name; for a command, the name of the system's account.
    package let name: ExactText
    /// The credential, as `Caller` names it; for a command, `command`.
    package let credential: ExactText
    /// The client's address; for a command, the machine's name. Nil if it is not known.
    package let address: String?

    package init(userID: Int64?, name: ExactText, credential: ExactText, address: String?) {
        self.userID = userID
        self.name = name
        self.credential = credential
        self.address = address
    }

    /// Whoever runs this process on this machine.
    package static let thisProcess = Actor(
        userID: nil, name: ExactText(NSUserName()), credential: "command", address: ProcessInfo.processInfo.hostName)
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
        user: Int64? = nil, project: String? = nil, action: AuditAction? = nil, before: Int64? = nil,
        since: Instant = Instant(milliseconds: 0)
    ) {
        self.user = user
        self.project = project
        self.action = action
        self.before = before
        self.since = since
    }

    /// Whether the entry is selected.
    package func holds(_ entry: StoredAuditEntry) -> Bool {
        let content = entry.content
        return content.at >= since && before.map { entry.id < $0 } ?? true
            && user.map { content.actor.userID == $0 || content.subject == $0 } ?? true
            && project.map { content.project == $0 } ?? true && action.map { content.action == $0.rawValue } ?? true
    }
}
