import NIOCore
package import SyncAccounts
import SyncProtocol
package import SyncStore

/// Finds what a new event stream has to tell first.
package struct EventService<Store: SyncStore>: Sendable {
    private let store: Store
    private let users: UserProjectsCache

    /// `users` is the cache that pulls use.
    package init(store: Store, users: UserProjectsCache) { (self.store, self.users) = (store, users) }

    /// The start of a stream of the caller's projects, or of those in `projects`. `lastEvent` is the `Last-Event-ID` of
    /// a client that had a stream before: any user-wide watermark.
    ///
    /// Throws `not_found` for a project that the caller never was a member of.
    package func start(
        for caller: Caller, of projects: Set<String>?, after lastEvent: String?
    ) async throws -> EventStart {
        try await store.read(.installation) { transaction in
            let all = try users.projects(of: caller.userID, in: transaction)
            let head = try all.newest(of: projects)
            guard let lastEvent else { return EventStart(head: head, missed: nil) }
            let known = Self.known(lastEvent, all)
            var missed = NewCommits(heads: [:], number: all.oldest, heardAt: .now())
            for (project, entry) in all.changed(after: known) where projects?.contains(project) ?? true {
                guard let head = try entry.headToTell(of: project, after: known, caller, transaction) else { continue }
                missed.heads[project] = head
                missed.number = max(missed.number, entry.newest)
            }
            return EventStart(head: head, missed: missed.heads.isEmpty ? nil : missed)
        }
    }

    /// The number that the client knows everything up to. Nil if it is not in the history of the caller's projects, so
    /// the client knows nothing. What others write in their own projects must make no difference.
    private static func known(_ lastEvent: String, _ all: UserProjects) -> CommitNumber? {
        guard let watermark = SyncSeq(decimal: lastEvent)?.rawValue,
            let number = CommitNumber(watermark: watermark), number >= all.oldest,
            number <= all.newest
        else { return nil }
        return number
    }
}

/// What a new event stream has to tell first.
package struct EventStart: Sendable {
    /// The newest commit to the caller's projects.
    package let head: CommitNumber
    /// What the client missed since its last stream; nil if that is nothing, or if the client did not say.
    package let missed: NewCommits?
}

extension UserProjects.Entry {
    /// The commits that are read at a time.
    private static let batch = 200
    /// More commits than this are not looked at one by one.
    private static let most = 10_000

    /// The last of the project's commits after `known` of which the caller may see something. After a loss of the
    /// project, the loss. For a member, the project's head if some of the commits are forgotten, or if there are more
    /// than `most`. Nil if there is none. Nil for `known` means that the client knows nothing.
    fileprivate func headToTell(
        of project: String, after known: CommitNumber?, _ caller: Caller, _ transaction: any ReadTransaction
    ) throws -> SyncSeq? {
        guard isMember else { return known == nil ? nil : stints.last?.until }
        let head = try transaction.project(project)?.head
        guard let known else { return head }
        // What was thinned may have been visible.
        if let thinned = try transaction.lastThinned(), known < thinned { return head }
        let role = try transaction.access(project: project, user: caller.userID)?.role ?? .viewer
        let memberships = stints.map { ProjectMember(user: caller.userID, role: role, stint: $0) }
        let listener = FeedListener(caller, scope: .memberships(nil)) { _ in }
        var (seen, place): (SyncSeq?, CommitNumber) = (nil, known)
        for _ in 0..<Self.most / Self.batch {
            let commits = try transaction.commits(to: project, after: place, limit: Self.batch)
            seen = commits.last { listener.sees($0, memberships) }?.seq ?? seen
            guard commits.count == Self.batch, let last = commits.last,
                let number = try transaction.number(of: last.seq, in: project)
            else { return seen }
            place = number
        }
        return head
    }
}
