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
