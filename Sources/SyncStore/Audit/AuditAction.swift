/// What the audit list keeps. The names are part of the API and of stored entries: they never change. A list may have
/// names of a later version, too.
package struct AuditAction: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Accounts and their credentials.
extension AuditAction {
    package static let userAdded = AuditAction(rawValue: "user_added")
    package static let userRenamed = AuditAction(rawValue: "user_renamed")
    package static let userDisabled = AuditAction(rawValue: "user_disabled")
    package static let userEnabled = AuditAction(rawValue: "user_enabled")
    package static let userRemoved = AuditAction(rawValue: "user_removed")
    /// The user's own password, by the user.
    package static let passwordChanged = AuditAction(rawValue: "password_changed")
    /// By somebody else.
    package static let passwordSet = AuditAction(rawValue: "password_set")
    package static let identityLinked = AuditAction(rawValue: "identity_linked")
    package static let tokenCreated = AuditAction(rawValue: "token_created")
    package static let tokenRevoked = AuditAction(rawValue: "token_revoked")
    package static let sessionRevoked = AuditAction(rawValue: "session_revoked")
    /// All tokens and sessions of a user.
    package static let credentialsRevoked = AuditAction(rawValue: "credentials_revoked")
    package static let deviceForgotten = AuditAction(rawValue: "device_forgotten")
}

/// Memberships.
extension AuditAction {
    package static let memberAdded = AuditAction(rawValue: "member_added")
    package static let roleChanged = AuditAction(rawValue: "role_changed")
    package static let memberRemoved = AuditAction(rawValue: "member_removed")
}

/// Projects.
extension AuditAction {
    package static let projectCreated = AuditAction(rawValue: "project_created")
    package static let projectArchived = AuditAction(rawValue: "project_archived")
    package static let projectUnarchived = AuditAction(rawValue: "project_unarchived")
    package static let projectDeleted = AuditAction(rawValue: "project_deleted")
    /// Rows that were added to an existing project by other means than its own API.
    package static let rowsImported = AuditAction(rawValue: "rows_imported")
}

/// The installation.
extension AuditAction {
    package static let backupMade = AuditAction(rawValue: "backup_made")
    package static let checked = AuditAction(rawValue: "checked")
    package static let purged = AuditAction(rawValue: "purged")
    package static let restored = AuditAction(rawValue: "restored")
    package static let promoted = AuditAction(rawValue: "promoted")
    package static let schemaPruned = AuditAction(rawValue: "schema_pruned")
    package static let copied = AuditAction(rawValue: "copied")
}

extension AuditAction {
    /// All names that this version writes.
    package static let all: [AuditAction] = [
        .userAdded, .userRenamed, .userDisabled, .userEnabled, .userRemoved, .passwordChanged, .passwordSet,
        .identityLinked, .tokenCreated, .tokenRevoked, .sessionRevoked, .credentialsRevoked, .deviceForgotten,
        .memberAdded, .roleChanged, .memberRemoved, .projectCreated, .projectArchived, .projectUnarchived,
        .projectDeleted, .rowsImported, .backupMade, .checked, .purged, .restored, .promoted, .schemaPruned, .copied,
    ]
}
