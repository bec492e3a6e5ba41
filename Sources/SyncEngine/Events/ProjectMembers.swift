import SyncProtocol
import SyncStore
import Synchronization

/// Remembers the memberships of projects, from one change of memberships to the next.
final class ProjectMembers: Sendable {
    /// In memberships, of the projects with the latest commits.
    private static let budget = 500_000

    private let projects = Mutex(LRU<String, [Int64: [ProjectMember]]>(budget: budget))

    /// The memberships of the commit's project, by user: at least those that had begun by the commit and had not ended
    /// before it. Must be asked for the commits of a project in their order.
    func members(for commit: NumberedCommit, in store: some SyncStore) async throws -> [Int64: [ProjectMember]] {
        if !commit.changesSight, let known = projects.withLock({ $0.value(of: commit.project) }) { return known }
        let memberships = try await store.read(.project(commit.project)) {
            try $0.members(of: commit.project, endingFrom: commit.seq)
        }
        let members = Dictionary(grouping: memberships, by: \.user)
        projects.withLock { $0.keep(members, of: commit.project, cost: 1 + memberships.count) }
        return members
    }
}
