import SyncProtocol

/// Why a replica was wiped.
public enum WipeReason: String, Sendable, Equatable {
    /// The caller is no member any more.
    case membershipRevoked = "membership_revoked"
    /// The project does not exist any more.
    case projectDeleted = "project_deleted"
}
