package import SyncProtocol

/// A user's access to a project, now and before. The draft derives it from the membership rows.
package struct Access: Sendable, Equatable {
    /// Nil if the user is no longer a member.
    package var role: Role?
    /// The last commit that raised the user's role; joining counts. Zero if there is none.
    package var widenedSeq: SyncSeq
    /// The last commit that hid rows from the user by lowering the role below a gate's. Zero if there is none.
    package var narrowedSeq: SyncSeq
    /// The user's roles so far.
    package var history: RoleHistory

    package init(role: Role?, widenedSeq: SyncSeq, narrowedSeq: SyncSeq, history: RoleHistory = .none) {
        self.role = role
        self.widenedSeq = widenedSeq
        self.narrowedSeq = narrowedSeq
        self.history = history
    }
}
