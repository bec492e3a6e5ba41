package import SyncProtocol

/// What a user's memberships of a project, past ones included, amount to. Derived from the synced rows by the funnel.
package struct Access: Sendable, Equatable {
    /// Nil for a user who was a member once.
    package var role: Role?
    package var widenedSeq: SyncSeq
    package var narrowedSeq: SyncSeq
    package var history: RoleHistory

    package init(role: Role?, widenedSeq: SyncSeq, narrowedSeq: SyncSeq, history: RoleHistory = .none) {
        self.role = role
        self.widenedSeq = widenedSeq
        self.narrowedSeq = narrowedSeq
        self.history = history
    }
}
