package import SyncAccounts
import SyncProtocol
import SyncStore

/// Somebody who is told of commits. What it may see is judged for its caller at each commit.
package final class FeedListener: Sendable {
    package let caller: Caller
    /// The only projects that it listens to; nil for all in which the caller has a membership. A superuser also hears
    /// of projects that are named here and not the user's own.
    package let projects: Set<String>?
    private let call: @Sendable (FeedCall) -> Void

    /// `call` may be called on any thread, one call at a time. Commits don't wait for it, but other listeners do, so it
    /// must return at once.
    init(_ caller: Caller, _ projects: Set<String>?, _ call: @escaping @Sendable (FeedCall) -> Void) {
        (self.caller, self.projects, self.call) = (caller, projects, call)
    }

    func tell(_ message: FeedCall) { call(message) }

    /// Whether the caller may see something of the commit. `memberships` are the caller's in the commit's project.
    func sees(_ commit: NumberedCommit, _ memberships: [ProjectMember]) -> Bool {
        if let projects, !projects.contains(commit.project) { return false }
        if caller.isSuperuser, projects != nil {
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
