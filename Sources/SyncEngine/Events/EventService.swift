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
            let known = try Self.known(lastEvent, all, transaction)
            var missed = NewCommits(heads: [:], number: all.oldest, heardAt: .now())
            for (project, entry) in all.changed(after: known) where projects?.contains(project) ?? true {
                guard let head = try entry.headToTell(of: project, after: known, caller, transaction) else { continue }
                missed.heads[project] = head
                missed.number = max(missed.number, entry.newest)
            }
            return EventStart(head: head, missed: missed.heads.isEmpty ? nil : missed)
        }
    }

    /// The number that the client knows everything up to. Nil if it is not in the history, so it knows nothing.
    private static func known(
        _ lastEvent: String, _ all: UserProjects, _ transaction: any ReadTransaction
    ) throws -> CommitNumber? {
        guard let watermark = SyncSeq(decimal: lastEvent)?.rawValue,
            let number = CommitNumber(watermark: watermark), number >= all.oldest,
            number <= (try transaction.newestNumber())
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
    /// More commits than this are not looked at one by one.
    private static let most = 200

    /// The last of the project's commits after `known` of which the caller may see something, a loss of the project
    /// included; the project's head if that is not known any more. Nil if there is none. Nil for `known` means that the
    /// client knows nothing.
    fileprivate func headToTell(
        of project: String, after known: CommitNumber?, _ caller: Caller, _ transaction: any ReadTransaction
    ) throws -> SyncSeq? {
        let head = try transaction.project(project)?.head
        guard let known else { return isMember ? head : nil }
        // What was thinned may have been visible.
        if let thinned = try transaction.lastThinned(), known < thinned { return head }
        let commits = try transaction.commits(to: project, after: known, limit: Self.most)
        guard commits.count < Self.most else { return head }
        let role = try transaction.access(project: project, user: caller.userID)?.role ?? .viewer
        let memberships = stints.map { ProjectMember(user: caller.userID, role: role, stint: $0) }
        let listener = FeedListener(caller, nil) { _ in }
        return commits.last { listener.sees($0, memberships) }?.seq
    }
}
