package import SyncProtocol

/// Users who may see something of a commit.
package enum CommitAudience: Hashable, Sendable {
    /// Members with this role or a higher one.
    case members(from: Role)
    /// One user, whatever the user's role.
    case user(Int64)

    /// Every member.
    package static let everyone = CommitAudience.members(from: .viewer)
}
