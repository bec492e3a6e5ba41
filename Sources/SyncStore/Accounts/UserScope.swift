import SyncProtocol

/// Which users are meant.
package enum UserScope: Sendable, Equatable {
    case everyone
    /// Live members of live projects that this user is a live member of, and the user.
    case sharing(with: Int64)
    /// Live members.
    case members(of: String)
}
