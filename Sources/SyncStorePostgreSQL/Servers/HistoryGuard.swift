import SyncProtocol
import SyncStore
import SyncStoreSQL
import Synchronization

/// Sees to it that the database is the one that the server has opened, with everything that the server has told of.
///
/// Every new connection is asked where it leads. If that is another run of a server than before, a commit waits for the
/// standby first, because after a crash a primary shows commits that no standby has. The database must have all commits
/// that this server has told of; otherwise numbers jump, as after a restore. Connections to the earlier run serve
/// nothing any more: a primary that was replaced may live on, and does not know what was revoked since.
final class HistoryGuard: Sendable {
    private struct State {
        var home: Home
        var admitted: Incarnation
        /// Goes up with each change of `admitted`.
        var generation = 0
        /// Why the store is used no more.
        var end: StoreError?
        var watchers: [@Sendable (StoreError) -> Void] = []
    }

    let given = GivenHeads()
    let clock: DatabaseClock
    /// Nil in a command, which leaves failovers to the servers.
    private let rule: FailoverRule?
    private let tables: CollectionTables
    private let state: Mutex<State>
    /// One connection is admitted at a time. The database may keep it waiting, but not those who read `state`.
    private let admission = Mutex(())

    /// `home` is the database's, which `here` has been compared with.
    init(
        _ home: Home, here: Incarnation, rule: FailoverRule?, tables: CollectionTables,
        clock: DatabaseClock = DatabaseClock()
    ) {
        self.rule = rule
        self.tables = tables
        self.clock = clock
        state = Mutex(State(home: home, admitted: here))
    }

    /// Calls `body` when the store can't be used any more, with the reason. The process must start again.
    func onEnd(_ body: @escaping @Sendable (StoreError) -> Void) { state.withLock { $0.watchers.append(body) } }

    // MARK: Connections

    /// Called with each new connection, before it is used. Blocks.
    func admit(_ connection: Connection) throws {
        let here = try Incarnation(connection)
        let end = try admission.withLock { _ -> StoreError? in
            let (home, admitted, generation) = try state.withLock { state in
                guard state.end == nil else { throw DatabaseError.ended }
                return (state.home, state.admitted, state.generation)
            }
            connection.generation = generation
            return admitted == here ? nil : try change(to: here, home, connection)
        }
        guard let end else { return }
        self.end(end)
        throw DatabaseError.ended
    }

    /// Whether the connection leads to where the newest one leads.
    func isCurrent(_ connection: Connection) -> Bool {
        state.withLock { $0.generation == connection.generation && $0.end == nil }
    }

    /// Throws if the connection is not current any more, so that an answer which it has just brought is not believed.
    func requireCurrent(_ connection: Connection) throws {
        guard isCurrent(connection) else {
            throw DatabaseError(state: nil, message: "The connection leads to a server that was replaced.")
        }
    }

    /// Returns why the store ends, if it does.
    private func change(to here: Incarnation, _ home: Home, _ connection: Connection) throws -> StoreError? {
        guard here.system == home.system else { return Self.otherSystem }
        guard here.timeline >= home.timeline else {
            throw DatabaseError(state: nil, message: "An earlier primary answers.")
        }
        _ = try Receipt().isWritten(connection)
        if let rule {
            guard try follow(to: here, from: home, rule, connection) else { return Self.lostCommits }
        } else if here.timeline > home.timeline {
            return Self.commandOutlived
        }
        connection.generation = state.withLock { state in
            state.admitted = here
            state.home.timeline = here.timeline
            state.generation += 1
            return state.generation
        }
        return nil
    }

    /// Returns false if numbers have jumped.
    private func follow(
        to here: Incarnation, from home: Home, _ rule: FailoverRule, _ connection: Connection
    ) throws -> Bool {
        try Session(connection, kind: .writing).commit { session in
            try session.send(AdvisoryLock.opening.statement)
            let isTrusted = here.timeline == home.timeline || rule != .jump
            let mayGoOn = try isTrusted && given.areKnown(to: session)
            if mayGoOn {
                try Home.follow(to: here, session)
            } else {
                _ = try PostgreSQLTransaction(session, tables: tables, scope: .installation).jump(to: here)
            }
            return mayGoOn
        }
    }

    // MARK: Epochs

    /// Ends the store if the tables or the numbers were changed since it was opened.
    func require(epoch: Int64) throws {
        guard epoch != state.withLock({ $0.home.epoch }) else { return }
        end(Self.changed)
        throw DatabaseError.ended
    }

    private func end(_ reason: StoreError) {
        let watchers = state.withLock { state in
            guard state.end == nil else { return [] as [@Sendable (StoreError) -> Void] }
            state.end = reason
            return state.watchers
        }
        for watcher in watchers { watcher(reason) }
    }

    private static let otherSystem = StoreError(
        "The database's address leads to another cluster now.", hint: "Start the server again.")
    private static let commandOutlived = StoreError(
        "A standby was promoted while the command ran.",
        hint: "Look what the command has done, and run it again when a server has started.")
    private static let lostCommits = StoreError(
        "A failover has lost commits, so all numbers were raised. Clients start from 0.",
        hint: "Start the server again.")
    private static let changed = StoreError(
        "Another server or command has changed the database's tables or numbers.", hint: "Start the server again.")
}

extension DatabaseError {
    /// The store was ended. Whoever asks again reaches a server that was started since.
    fileprivate static let ended = DatabaseError(state: "57P03", message: "The server has to start again.")
}

/// The newest commits that this server has told anybody of. A history that has less of them has lost some.
final class GivenHeads: Sendable {
    private struct State {
        var heads: [String: SyncSeq] = [:]
        /// The newest commit number of the installation.
        var number = CommitNumber.first
        var accounts = CommitMark(0)
    }

    private static let most = 10_000

    private let state = Mutex(State())

    func note(_ project: String, _ head: SyncSeq) {
        state.withLock { state in
            if let known = state.heads[project] {
                if known < head { state.heads[project] = head }
                return
            }
            if state.heads.count >= Self.most { state.heads.remove(at: state.heads.indices.randomElement()!) }
            state.heads[project] = head
        }
    }

    func note(_ number: CommitNumber) { state.withLock { $0.number = max($0.number, number) } }

    func note(accounts mark: CommitMark) {
        state.withLock { if $0.accounts.isOlder(than: mark) { $0.accounts = mark } }
    }

    /// Whether the database has all of them.
    func areKnown(to session: Session) throws -> Bool {
        let given = state.withLock { $0 }
        let number = try session.ask(SQLStatements.newestNumber).first?.integer(0) ?? 0
        let accounts = try session.ask(AccountChanges.question).first?.integer(0) ?? 0
        guard number >= given.number.rawValue, !CommitMark(accounts).isOlder(than: given.accounts) else { return false }
        let rows = try session.ask(
            "SELECT id, head FROM tidemark_projects WHERE id = ANY(?1)", [Parameters.list(Array(given.heads.keys))])
        let heads = Dictionary(uniqueKeysWithValues: rows.rows.map { ($0.string(0), SyncSeq($0.integer(1))) })
        return given.heads.allSatisfy { project, head in head <= heads[project] ?? .zero }
    }
}
