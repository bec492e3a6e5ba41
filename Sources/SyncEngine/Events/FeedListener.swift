package import SyncAccounts
import SyncProtocol
import SyncStore

/// Somebody who is told of commits. What it may see is judged for its caller at each commit.
package final class FeedListener: Sendable {
    package let caller: Caller
    package let scope: FeedScope
    private let call: @Sendable (FeedCall) -> Void

    /// `call` may be called on any thread, one call at a time. Commits don't wait for it, but other listeners do, so it
    /// must return at once.
    init(_ caller: Caller, _ scope: FeedScope, _ call: @escaping @Sendable (FeedCall) -> Void) {
        (self.caller, self.scope, self.call) = (caller, scope, call)
    }

    /// Whether memberships don't matter.
    var needsNoMembership: Bool {
        if case .project = scope { caller.isSuperuser } else { false }
    }

    func tell(_ message: FeedCall) { call(message) }

    /// Whether the caller may see something of the commit. `memberships` are the caller's in the commit's project.
    func sees(_ commit: NumberedCommit, _ memberships: [ProjectMember]) -> Bool {
        guard scope.includes(commit.project) else { return false }
        if needsNoMembership {
            return commit.audiences.contains { $0.includes(caller.userID, .owner) }
        }
        return memberships.contains { member in
            // The commit that ends a membership is the last one that the member hears of.
            guard member.stint.from <= commit.seq, commit.seq <= member.stint.until else { return false }
            let role = caller.isSuperuser ? .owner : member.role ?? .viewer
            return commit.audiences.contains { $0.includes(caller.userID, role) }
        }
    }
}

extension CommitAudience {
    /// Whether it includes a member who has this role.
    func includes(_ user: Int64, _ role: Role) -> Bool {
        switch self {
        case .members(let least): role >= least
        case .user(let id): user == id
        }
    }
}
