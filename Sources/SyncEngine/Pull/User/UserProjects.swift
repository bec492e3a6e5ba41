import SyncProtocol
import SyncStore

/// The projects that a user is or was a member of, as a user-wide pull needs them, at one number of the installation.
struct UserProjects: Sendable {
    struct Entry: Sendable {
        /// Sorted by `from`; there is at least one.
        let stints: [Stint]
        /// The newest commit to the project that concerns the user: after a loss, the loss.
        var newest: CommitNumber

        var isMember: Bool { stints.last?.until == .maximum }
    }

    /// Smaller numbers are of another history.
    let oldest: CommitNumber
    /// What is known is the state at this number.
    private(set) var number: CommitNumber
    private(set) var entries: [String: Entry] = [:]
    /// The newest number of all entries.
    private(set) var newest: CommitNumber

    init(of user: Int64, in transaction: any ReadTransaction) throws {
        oldest = try transaction.oldestNumber()
        number = try transaction.newestNumber()
        newest = oldest
        let stints = try transaction.stints(of: user)
        for (project, stints) in Dictionary(grouping: stints, by: \.project) {
            try enter(project, stints, in: transaction)
        }
    }

    private mutating func enter(_ project: String, _ stints: [Stint], in transaction: any ReadTransaction) throws {
        guard let last = stints.last else { return }
        let number =
            last.until == .maximum
            ? try transaction.newestNumber(of: project) : try transaction.number(of: last.until, in: project)
        entries[project] = Entry(stints: stints, newest: max(number ?? oldest, oldest))
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
        number = last
        return true
    }

    private mutating func note(_ commit: PlacedCommit, of user: Int64, in transaction: any ReadTransaction) throws {
        if commit.changesSight {
            let stints = try transaction.stints(of: user, in: commit.project)
            if stints != entries[commit.project]?.stints ?? [] {
                return try enter(commit.project, stints, in: transaction)
            }
        }
        guard let entry = entries[commit.project], entry.isMember, entry.newest < commit.number else { return }
        entries[commit.project]!.newest = commit.number
        newest = max(newest, commit.number)
    }

    /// The newest number of the chosen projects; of all of them for nil. Throws
    /// `not_found` for a project that the user was never a member of.
    func newest(of projects: Set<String>?) throws -> CommitNumber {
        guard let projects else { return newest }
        return try projects.sorted().reduce(oldest) { newest, project in
            guard let entry = entries[project] else {
                throw Problem(.notFound, "There is no project \"\(project)\" that you are or were a member of.")
            }
            return max(newest, entry.newest)
        }
    }
}
