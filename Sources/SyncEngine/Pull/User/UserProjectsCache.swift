import SyncStore
import Synchronization

/// Remembers the projects of users. One cache is for one store.
///
/// A commit to a project that a user has nothing to do with costs that user one row of the commits' index, however many
/// projects the user has.
package final class UserProjectsCache: Sendable {
    private let users: Mutex<LRU<Int64, UserProjects>>

    /// Keeps at most `projects` projects in total, of the users who asked last.
    package init(projects: Int = 200_000) { users = Mutex(LRU(budget: projects)) }

    /// The projects of the user in the state that the transaction reads.
    func projects(of user: Int64, in transaction: any ReadTransaction) throws -> UserProjects {
        let known = users.withLock { $0.value(of: user) }
        if var known {
            let before = known.number
            if try known.catchUp(of: user, in: transaction) {
                if known.number > before { keep(known, of: user) }
                return known
            }
        }
        let projects = try UserProjects(of: user, in: transaction)
        keep(projects, of: user)
        return projects
    }

    /// The projects of the user as a write sees them. They are not remembered, because the write may be undone.
    func projectsOfWrite(of user: Int64, in transaction: any WriteTransaction) throws -> UserProjects {
        if var known = users.withLock({ $0.value(of: user) }), try known.catchUp(of: user, in: transaction) {
            return known
        }
        return try UserProjects(of: user, in: transaction)
    }

    /// Whether the user is known to have so many projects that the mark of all of them costs more than a look at the
    /// new commits to any project.
    func hasMany(of user: Int64) -> Bool { users.withLock { $0.value(of: user) }.map { $0.count > Self.many } ?? false }

    private static let many = 100

    /// The most parts that a drain may have to be planned on the calling thread.
    private static let few = 16

    /// Whether few of the user's projects have changed after `number`, as far as is known. False if nothing is known.
    func hasFew(of user: Int64, after number: CommitNumber?) -> Bool {
        guard let number, let known = users.withLock({ $0.value(of: user) }) else { return false }
        return known.changed(after: number).count <= Self.few
    }

    /// A slow reader must not replace what a later one found.
    private func keep(_ projects: UserProjects, of user: Int64) {
        users.withLock { users in
            if let known = users.value(of: user), known.number > projects.number, known.oldest >= projects.oldest {
                return
            }
            users.keep(projects, of: user, cost: 8 + projects.count)
        }
    }
}
