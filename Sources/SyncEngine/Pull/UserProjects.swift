import SyncProtocol
import SyncStore
import Synchronization

/// The projects that a user is or was a member of, as a user-wide pull needs them, at one number of the installation.
struct UserProjects: Sendable {
    struct Entry: Sendable {
        /// Sorted by `from`; there is at least one.
        let stints: [Stint]
        /// The newest commit to the project that concerns the user: after a loss, the loss.
        var newest: CommitNumber

        var isMember: Bool { stints.last?.until == .maximum }
    }

    let user: Int64
    /// Smaller numbers are of another history.
    let oldest: CommitNumber
    /// What is known is the state at this number.
    private(set) var number: CommitNumber
    /// The newest number of all entries.
    private(set) var newest: CommitNumber
    private var entries: [String: Entry] = [:]
    /// The newest number of `entries`.
    private var settled: CommitNumber
    /// Entries that take the place of those in `entries`. They are few, so what a commit changes is copied quickly, and
    /// what followed a recent number is found without a look at the others.
    private var recent: [String: Entry] = [:]

    private static let mostRecent = 64

    init(of user: Int64, in transaction: any ReadTransaction) throws {
        self.user = user
        oldest = try transaction.oldestNumber()
        number = try transaction.newestNumber()
        newest = oldest
        settled = oldest
        let stints = try transaction.stints(of: user)
        for (project, stints) in Dictionary(grouping: stints, by: \.project) {
            try enter(project, stints, in: transaction)
        }
        settle()
    }

    /// How many projects there are.
    var count: Int { entries.count }

    /// The projects with a commit after `number`; all of them for nil.
    func changed(after number: CommitNumber?) -> [String: Entry] {
        guard let number else { return entries.merging(recent) { $1 } }
        let recent = recent.filter { $0.value.newest > number }
        guard number < settled else { return recent }
        return entries.filter { $0.value.newest > number && self.recent[$0.key] == nil }.merging(recent) { $1 }
    }

    /// Throws `since_ahead` for a watermark above `newest`, the newest number of these projects or of some of them, and
    /// for one of another history.
    func requireKnown(_ since: CommitNumber?, upTo newest: CommitNumber) throws {
        guard let since, since > newest || since < oldest else { return }
        throw Problem(
            .sinceAhead,
            """
            \(since.watermark) is not in the history of your projects, which goes to \(newest.watermark): the server \
            was restored, or the number is of other projects. Resync from 0.
            """,
            members: ["head": .int(newest.watermark)])
    }

    /// Deletions of a project after the watermark are forgotten.
    static let expired = Problem(
        .sinceExpired, "Deletions after the watermark are no longer known to the server. Resync from 0.")

    private mutating func settle() {
        entries.merge(recent) { $1 }
        recent = [:]
        settled = newest
    }

    private mutating func enter(_ project: String, _ stints: [Stint], in transaction: any ReadTransaction) throws {
        guard let last = stints.last else { return }
        let number =
            last.until == .maximum
            ? try transaction.newestNumber(of: project) : try transaction.number(of: last.until, in: project)
        recent[project] = Entry(stints: stints, newest: max(number ?? oldest, oldest))
        newest = max(newest, number ?? oldest)
    }

    /// The most commits to look at before everything is read again.
    private static let most = 2000

    /// Takes in what was committed since. Returns false if that is too much, or of another history.
    mutating func catchUp(of user: Int64, in transaction: any ReadTransaction) throws -> Bool {
        let last = try transaction.newestNumber()
        guard number <= last, try transaction.oldestNumber() == oldest else { return false }
        guard number < last else { return true }
        let commits = try transaction.commits(after: number, limit: UserProjects.most)
        guard commits.count < UserProjects.most else { return false }
        for commit in commits { try note(commit, of: user, in: transaction) }
        if recent.count > UserProjects.mostRecent { settle() }
        number = last
        return true
    }

    private mutating func note(_ commit: PlacedCommit, of user: Int64, in transaction: any ReadTransaction) throws {
        if commit.changesSight {
            let stints = try transaction.stints(of: user, in: commit.project)
            let known = self[commit.project]
            // A loss may have been seen before its commit had a number.
            if stints != known?.stints ?? [] || known?.isMember == false {
                return try enter(commit.project, stints, in: transaction)
            }
        }
        guard var entry = self[commit.project], entry.isMember, entry.newest < commit.number else { return }
        entry.newest = commit.number
        recent[commit.project] = entry
        newest = max(newest, commit.number)
    }

    private subscript(project: String) -> Entry? { recent[project] ?? entries[project] }

    /// The newest number of the chosen projects; of all of them for nil. Throws
    /// `not_found` for a project that the user was never a member of.
    func newest(of projects: Set<String>?) throws -> CommitNumber {
        guard let projects else { return newest }
        return try projects.sorted().reduce(oldest) { newest, project in
            guard let entry = self[project] else {
                throw Problem(.notFound, "There is no project \"\(project)\" that you are or were a member of.")
            }
            return max(newest, entry.newest)
        }
    }
}

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

    /// The most shares that a drain may have to be planned on the calling thread.
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
