package import NIOCore
package import SyncAccounts
package import SyncProtocol
package import SyncStore
import Synchronization

/// Tells listeners of commits, after the fact. No row travels here: whoever is told pulls.
///
/// Commits of this process are handed over at once. Those of others, of commands beside the server and of other
/// servers, are found by a look at the store every 20 ms while somebody listens. Both read the table of numbers, so
/// everything is handed over in the order of the numbers, and a listener that was told of a number has been told of
/// every lower one that concerns it. A write never waits for a listener, and no failure here can fail one.
///
/// A listener that looks at the data after `listen` returned misses nothing: what it did not see it is told of.
package final class CommitFeed<Store: SyncStore>: Sendable {
    private struct State {
        var listeners = FeedListeners()
        /// What was committed up to here was handed over. Nil while nobody listens.
        var position: CommitNumber?
        /// What is known of projects. A new one for each time that the feed begins after a time without listeners, so
        /// nothing stays that a commit in between has changed.
        var members = ProjectMembers()
        /// The store's marks when it was last looked at.
        var (numbers, accounts): (CommitMark?, CommitMark?) = (nil, nil)
        /// Whether a task hands over, and whether it has to look again when it is done.
        var isAtWork = false
        var looksAgain = false
        var heardAt: NIODeadline?
        var isStopped = false
        var looker: Task<Void, Never>?
    }

    /// Commits that are read at a time.
    private static var batch: Int { 256 }
    /// From this many listeners of one commit on, their pulls are spread, over a millisecond for each.
    private static var crowd: Int { 2000 }

    private let store: Store
    private let credentials: CredentialCheck<Store>
    private let pause: @Sendable () async throws -> Void
    private let state = Mutex(State())

    /// `pause` returns when it is time for the next look at the store, by default after 20 ms.
    package init(
        store: Store, credentials: CredentialCheck<Store>,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(20)) }
    ) {
        self.store = store
        self.credentials = credentials
        self.pause = pause
        store.onCommit { [weak self] in self?.hear() }
    }

    /// How many listeners there are.
    package var count: Int { state.withLock { $0.listeners.count } }

    /// Tells `call` of everything that is committed from now on, until `leave`, in the projects of
    /// `scope`. If the caller's credential was taken away since it was judged, the first call says so. Throws
    /// `busy` once the server stops, and what the store throws.
    package func listen(
        for caller: Caller, to scope: FeedScope = .memberships(nil), _ call: @escaping @Sendable (FeedCall) -> Void
    ) async throws -> FeedListener {
        let listener = FeedListener(caller, scope: scope, call: call)
        let (isStopped, begins) = state.withLock { state in
            if !state.isStopped { state.listeners.add(listener) }
            return (state.isStopped, state.position == nil)
        }
        guard !isStopped else { throw Problem.stopping }
        do {
            if begins { try await begin() }
            // A loss before the listener was there was told to others, or to nobody.
            if try await !credentials.invalid(among: [caller], \.self).isEmpty { end(listener) }
        } catch {
            leave(listener)
            throw error
        }
        return listener
    }

    /// Ends the calls to the listener. One may be under way.
    package func leave(_ listener: FeedListener) {
        state.withLock { state in
            guard state.listeners.remove(listener), state.listeners.count == 0 else { return }
            state.looker?.cancel()
            state.position = nil
            state.looker = nil
        }
    }

    /// Tells all listeners that the server stops. Nobody can listen any more.
    package func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            return state.listeners.all
        }
        for (place, listener) in listeners.enumerated() {
            listener.tell(.stopping(place: place, of: listeners.count))
        }
    }

    // MARK: Looking

    /// Notes where the numbers are now. What is committed after this is handed over.
    private func begin() async throws {
        let marks = try await marks()
        let newest = try await store.readInline(.installation) { try $0.newestNumber() }
        state.withLock { state in
            guard state.position == nil, state.listeners.count > 0 else { return }
            state.members = ProjectMembers()
            state.position = newest
            state.numbers = marks.numbers
            state.accounts = marks.accounts
            state.looker = Task { [weak self, pause] in
                while !Task.isCancelled {
                    do { try await pause() } catch { return }
                    await self?.look()
                }
            }
        }
    }

    private func marks() async throws -> (numbers: CommitMark, accounts: CommitMark) {
        (try await store.mark(of: .numbers), try await store.mark(of: .accounts))
    }

    /// Looks whether anybody has committed. What failed before is tried again, because its marks were not noted.
    private func look() async {
        guard let marks = try? await marks() else { return }
        let isNew = state.withLock { $0.numbers != marks.numbers || $0.accounts != marks.accounts }
        if isNew { hear() }
    }

    /// Has a task hand over what is new.
    private func hear() {
        let begins = state.withLock { state in
            guard state.position != nil else { return false }
            state.heardAt = state.heardAt ?? .now()
            state.looksAgain = true
            defer { state.isAtWork = true }
            return !state.isAtWork
        }
        if begins { Task { await work() } }
    }

    private func work() async {
        while next() {
            do {
                try await checkCredentials()
                while try await handOver() {}
            } catch {
                // The store can't answer now. The next look tries again.
            }
        }
    }

    private func next() -> Bool {
        state.withLock { state in
            state.isAtWork = state.looksAgain
            state.looksAgain = false
            return state.isAtWork
        }
    }

    // MARK: Handing over

    /// Hands over one batch. Returns whether there may be more.
    private func handOver() async throws -> Bool {
        let mark = try await store.mark(of: .numbers)
        let (position, members, heardAt) = state.withLock { ($0.position, $0.members, $0.heardAt) }
        guard let position else { return false }
        let (commits, isLast) = try await commits(after: position)
        var audiences: [[Int64: [ProjectMember]]] = []
        for (_, commit) in commits { audiences.append(try await members.members(for: commit, in: store)) }
        tell(commits, to: audiences, members: members, heardAt: heardAt ?? .now())
        state.withLock { state in
            guard state.members === members, state.position != nil else { return }
            if let last = commits.last?.number { state.position = last }
            if isLast { (state.numbers, state.heardAt) = (mark, state.looksAgain ? state.heardAt : nil) }
        }
        return !isLast
    }

    /// The next commits, and whether they are all. A number's commits stay together, even if they are many.
    private func commits(
        after position: CommitNumber
    ) async throws -> (commits: [(number: CommitNumber, commit: NumberedCommit)], isLast: Bool) {
        var limit = Self.batch
        while true {
            let commits = try await store.readInline(.installation) { [limit] in
                try $0.numberedCommits(after: position, limit: limit)
            }
            guard commits.count == limit, let last = commits.last?.number else { return (commits, true) }
            let whole = commits.prefix { $0.number < last }
            if !whole.isEmpty { return (Array(whole), false) }
            limit *= 2
        }
    }

    private func tell(
        _ commits: [(number: CommitNumber, commit: NumberedCommit)], to audiences: [[Int64: [ProjectMember]]],
        members: ProjectMembers, heardAt: NIODeadline
    ) {
        let listeners = state.withLock { $0.members === members ? $0.listeners : FeedListeners() }
        var news: [ObjectIdentifier: (listener: FeedListener, commits: NewCommits)] = [:]
        for ((number, commit), audience) in zip(commits, audiences) {
            let seeing = listeners.seeing(commit, audience)
            var new = NewCommits(heads: [commit.project: commit.seq], number: number, heardAt: heardAt)
            if seeing.count > Self.crowd { new.spreadMilliseconds = seeing.count }
            for listener in seeing {
                news[ObjectIdentifier(listener), default: (listener, new)].commits.merge(new)
            }
        }
        for (listener, commits) in news.values { listener.tell(.commits(commits)) }
    }

    // MARK: Credentials

    /// Tells listeners whose credential is no longer valid, if something was taken from any account.
    private func checkCredentials() async throws {
        let mark = try await store.mark(of: .accounts)
        let listeners = state.withLock { $0.accounts == mark ? [] : $0.listeners.all }
        for listener in try await credentials.invalid(among: listeners, \.caller) { end(listener) }
        state.withLock { $0.accounts = mark }
    }

    private func end(_ listener: FeedListener) {
        leave(listener)
        listener.tell(.revoked)
    }
}

extension Problem {
    /// For a request that can't be held any longer.
    package static var stopping: Problem {
        Problem(
            .busy, "The server is about to stop. Try again.", members: ["retry_after": .int(Int64.random(in: 1...5))])
    }
}

/// Which projects a listener hears of.
package enum FeedScope: Sendable, Hashable {
    /// Those in which the caller has or had a membership; with a set, only those of them. A loss is the last that is
    /// heard of a project.
    case memberships(Set<String>?)
    /// One project. A superuser hears of it without a membership, because a superuser can pull it.
    case project(String)

    /// Whether a listener with this scope listens to the project.
    func includes(_ project: String) -> Bool {
        switch self {
        case .memberships(nil): true
        case .memberships(let projects?): projects.contains(project)
        case .project(let id): id == project
        }
    }
}

/// What a `CommitFeed` tells a listener.
package enum FeedCall: Sendable {
    case commits(NewCommits)
    /// The caller's credential is no longer valid: revoked, its session ended, or its account disabled.
    case revoked
    /// The server stops. `place` counts the listeners that are told, from 0; `count` is how many there are.
    case stopping(place: Int, of: Int)
}

/// Somebody who is told of commits. What it may see is judged for its caller at each commit.
package final class FeedListener: Sendable {
    package let caller: Caller
    package let scope: FeedScope
    private let call: @Sendable (FeedCall) -> Void

    /// `call` may be called on any thread, one call at a time. Commits don't wait for it, but other listeners do, so it
    /// must return at once.
    init(_ caller: Caller, scope: FeedScope, call: @escaping @Sendable (FeedCall) -> Void) {
        self.caller = caller
        self.scope = scope
        self.call = call
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

/// The listeners of a feed, by user.
struct FeedListeners {
    private var byUser: [Int64: [FeedListener]] = [:]
    /// Superusers who listen to one project.
    private var superusers: [FeedListener] = []
    private(set) var count = 0

    mutating func add(_ listener: FeedListener) {
        count += 1
        if listener.needsNoMembership { return superusers.append(listener) }
        byUser[listener.caller.userID, default: []].append(listener)
    }

    /// Returns false if it is not among them.
    mutating func remove(_ listener: FeedListener) -> Bool {
        if let index = superusers.firstIndex(where: { $0 === listener }) {
            superusers.remove(at: index)
        } else if let index = byUser[listener.caller.userID]?.firstIndex(where: { $0 === listener }) {
            byUser[listener.caller.userID]?.remove(at: index)
            if byUser[listener.caller.userID]?.isEmpty == true { byUser[listener.caller.userID] = nil }
        } else {
            return false
        }
        count -= 1
        return true
    }

    var all: [FeedListener] { byUser.values.flatMap { $0 } + superusers }

    /// The listeners that may see something of the commit. `members` are the project's memberships by user.
    func seeing(_ commit: NumberedCommit, _ members: [Int64: [ProjectMember]]) -> [FeedListener] {
        var seeing = superusers.filter { $0.sees(commit, []) }
        func add(_ listeners: [FeedListener], _ memberships: [ProjectMember]) {
            for listener in listeners where listener.sees(commit, memberships) { seeing.append(listener) }
        }
        if members.count <= byUser.count {
            for (user, memberships) in members { if let listeners = byUser[user] { add(listeners, memberships) } }
        } else {
            for (user, listeners) in byUser { if let memberships = members[user] { add(listeners, memberships) } }
        }
        return seeing
    }
}

/// Commits of which one listener may see something, merged.
package struct NewCommits: Sendable {
    /// The head of each project since its last such commit.
    package var heads: [String: SyncSeq]
    /// The greatest number of these commits. Every commit up to it has been handed over.
    package var number: CommitNumber
    /// When the feed heard of the first of them.
    package var heardAt: NIODeadline
    /// Over how many milliseconds clients should spread their pulls; 0 for at once.
    package var spreadMilliseconds = 0

    /// Adds later commits.
    package mutating func merge(_ other: NewCommits) {
        heads.merge(other.heads) { max($0, $1) }
        number = max(number, other.number)
        heardAt = min(heardAt, other.heardAt)
        spreadMilliseconds = max(spreadMilliseconds, other.spreadMilliseconds)
    }
}

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
