import SyncProtocol

/// Why a replica was wiped, or a project's rows were removed from a replica of all projects.
public enum WipeReason: String, Sendable, Equatable {
    /// The caller is no longer a member of the project.
    case membershipRevoked = "membership_revoked"
    /// The project was deleted.
    case projectDeleted = "project_deleted"
}
