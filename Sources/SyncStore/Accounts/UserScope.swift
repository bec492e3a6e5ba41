/// Which users a query returns.
package enum UserScope: Sendable, Equatable {
    case everyone
    /// The user, and all members of the live projects that this user is a member of. Former members don't count.
    case sharing(with: Int64)
    /// The present members of the project.
    case members(of: String)
}
