package import SyncProtocol

/// One membership of a project, with the user's present role.
package struct ProjectMember: Sendable, Hashable {
    package let user: Int64
    /// Nil for a user who is no longer a member.
    package let role: Role?
    package let stint: Stint

    package init(user: Int64, role: Role?, stint: Stint) {
        (self.user, self.role, self.stint) = (user, role, stint)
    }
}
