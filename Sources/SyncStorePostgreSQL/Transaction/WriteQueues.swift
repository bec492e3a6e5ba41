import SyncProtocol
import SyncStore
import SyncStoreSQL
import Synchronization

/// The writes that wait on this server: a queue for each project and one for accounts. Queues are worked off side by
/// side, as far as there are connections. The server's locks order the writes of several servers.
final class WriteQueues: Sendable {
    /// What writes wait for together.
    enum Key: Hashable, Sendable {
        case project(String)
        case accounts
    }

    private struct State {
        /// A queue is here as long as somebody works on it.
        var queues: [Key: [Member]] = [:]
        var waiting = 0
        var groups = StoreMetrics().groups
        var watchers: [@Sendable () -> Void] = []
    }

    /// How often a write is tried, and for how long, before its client is told to come back.
    private static let mostTries = 3
    private static let patience: Duration = .seconds(10)

    /// For how long the server asks what became of a commit. A standby that is gone can hold a commit up for ever.
    private let longestQuestion: Duration
    private let pool: ConnectionPool
    private let tables: CollectionTables
    private let history: HistoryGuard
    private let state = Mutex(State())

    init(_ pool: ConnectionPool, tables: CollectionTables, history: HistoryGuard, longestQuestion: Duration) {
        self.pool = pool
        self.tables = tables
        self.history = history
        self.longestQuestion = longestQuestion
    }

    /// Runs `body` in a transaction of the scope. It may run several times; only the last run counts. Returns after a
    /// durable commit. If `body` throws, nothing is changed.
    func write<Value: Sendable>(
        _ scope: StoreScope, in key: Key?, needs: @escaping @Sendable () -> Needs,
        body: @escaping @Sendable (PostgreSQLTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = Write(continuation) { [tables] session in
                try body(PostgreSQLTransaction(session, tables: tables, scope: scope))
            }
            let member = Member(write: write, scope: scope, needs: needs)
            guard let key else {
                Task { await run(member) { nil } }
                return
            }
            let begins = state.withLock { state in
                state.waiting += 1
                guard state.queues[key] == nil else {
                    state.queues[key]?.append(member)
                    return false
                }
                state.queues[key] = [member]
                return true
            }
            if begins { Task { await workOff(key) } }
        }
    }

    /// Calls `body` after each commit of this server.
    func onCommit(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.watchers.append(body) } }

    /// The number of writes that wait.
    var waiting: Int { state.withLock { $0.waiting } }
    /// The number of writes in each commit so far.
    var groups: Histogram { state.withLock { $0.groups } }

    private func workOff(_ key: Key) async {
        while let first = next(key, orEnd: true) {
            await run(first) { self.next(key, orEnd: false) }
        }
    }

    /// Takes the next write. If there is none and `orEnd` is true, the work on the queue ends.
    private func next(_ key: Key, orEnd: Bool) -> Member? {
        state.withLock { state in
            guard let queue = state.queues[key], !queue.isEmpty else {
                if orEnd { state.queues[key] = nil }
                return nil
            }
            state.waiting -= 1
            return state.queues[key]?.removeFirst()
        }
    }

    /// Commits a group. Members that were not applied are tried again, each alone.
    private func run(_ first: Member, next: @escaping @Sendable () -> Member?) async {
        let deadline = ContinuousClock.now + Self.patience
        let (rest, isSettled) = await attempt(first, next)
        var members = rest.undone
        if !isSettled, await !settle(rest) { members += rest.uncertain }
        // Another member of a group may have caused the error.
        let error = members.count == 1 && rest.isAlone ? rest.error : nil
        for member in members { await retry(member, after: error, until: deadline) }
    }

    /// Whether the writes whose commit was interrupted were applied. Resumes them if so, or if nobody can tell for so
    /// long after their transaction began.
    private func settle(_ rest: WriteGroup.Rest) async -> Bool {
        let deadline = rest.begun + longestQuestion
        var attempt = 0
        while ContinuousClock.now < deadline {
            do {
                guard try await isWritten(rest.receipt, askingUntil: deadline) else { return false }
                finish(rest)
                return true
            } catch {
                await pause(attempt)
                attempt += 1
            }
        }
        for member in rest.uncertain { member.write.fail(Self.unknownOutcome) }
        return true
    }

    /// Asks no longer than until the deadline, but at least for a second.
    private func isWritten(_ receipt: Receipt, askingUntil deadline: ContinuousClock.Instant) async throws -> Bool {
        try await pool.use { connection in
            let patience = connection.patience
            connection.patience = max(.seconds(1), min(patience, deadline - ContinuousClock.now))
            defer { connection.patience = patience }
            return try receipt.isWritten(connection)
        }
    }

    private static let unknownOutcome = Problem(
        .outcomeUnknown,
        "The database was asked to commit this and did not answer. It may have been applied, or may be later. Look, or "
            + "send it again if it has a key of its own.")

    private func retry(_ member: Member, after error: DatabaseError?, until deadline: ContinuousClock.Instant) async {
        var error = error
        for attempt in 1..<Self.mostTries where error?.isWorthAnotherTry ?? true && ContinuousClock.now < deadline {
            guard pool.mayConnect else { break }
            await pause(attempt)
            let (rest, isSettled) = await self.attempt(member) { nil }
            if !isSettled, await settle(rest) { return }
            if rest.undone.isEmpty, rest.uncertain.isEmpty { return }
            error = rest.error ?? error
        }
        member.write.fail(error ?? DatabaseError(state: nil, message: "There was no try."))
    }

    /// Runs a group once. Returns what is left of it, and whether there is nothing to settle.
    private func attempt(
        _ first: Member, _ next: @escaping @Sendable () -> Member?
    ) async -> (WriteGroup.Rest, Bool) {
        do {
            let (rest, size) = try await pool.use { [tables, history] connection in
                let group = WriteGroup(connection, tables: tables, history: history)
                return (group.commit(first, next: next), group.size)
            }
            if size > 0, rest.uncertain.isEmpty { noteCommit(of: size) }
            return (rest, rest.uncertain.isEmpty)
        } catch {
            var rest = WriteGroup.Rest()
            rest.undone = [first]
            rest.error = error as? DatabaseError
            return (rest, true)
        }
    }

    /// Resumes the writes of a commit whose answer was lost.
    private func finish(_ rest: WriteGroup.Rest) {
        for (project, head) in rest.heads { history.given.note(project, head) }
        for member in rest.uncertain { member.write.finish() }
        noteCommit(of: rest.uncertain.count)
    }

    private func noteCommit(of members: Int) {
        let watchers = state.withLock { state in
            state.groups.add(Double(members))
            return state.watchers
        }
        for watcher in watchers { watcher() }
    }

    /// A random pause, longer from try to try.
    private func pause(_ attempt: Int) async {
        let longest = min(50 << min(attempt, 5), 1000)
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1...longest)))
    }
}

/// A write in a queue, with what the store has to know before it runs.
struct Member: Sendable {
    let write: any WaitingWrite<Session>
    let scope: StoreScope
    let needs: @Sendable () -> Needs
}
