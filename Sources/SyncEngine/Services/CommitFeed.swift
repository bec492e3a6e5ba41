import NIOCore
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
        var (isAtWork, looksAgain) = (false, false)
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
        (self.store, self.credentials, self.pause) = (store, credentials, pause)
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
        let listener = FeedListener(caller, scope, call)
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
            (state.position, state.looker) = (nil, nil)
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
            (state.position, state.numbers, state.accounts) = (newest, marks.numbers, marks.accounts)
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
            (state.isAtWork, state.looksAgain) = (state.looksAgain, false)
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
        tell(commits, audiences, members, heardAt ?? .now())
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
        _ commits: [(number: CommitNumber, commit: NumberedCommit)], _ audiences: [[Int64: [ProjectMember]]],
        _ members: ProjectMembers, _ heardAt: NIODeadline
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
