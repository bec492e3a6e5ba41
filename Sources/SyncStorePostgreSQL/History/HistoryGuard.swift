import SyncProtocol
import SyncStore
import SyncStoreSQL
import Synchronization

/// Sees to it that the database is the one that the server has opened, with everything that the server has told of.
///
/// Every new connection is asked where it leads. For a server that was started anew, a commit waits for the standby
/// first: after a crash a primary shows commits that no standby has. After a promotion the database must have all
/// commits that this server has told of; otherwise numbers jump, as after a restore.
final class HistoryGuard: Sendable {
    private struct State {
        var home: Home
        var admitted: Incarnation
        /// Why the store is used no more.
        var end: StoreError?
        var watchers: [@Sendable (StoreError) -> Void] = []
    }

    let given = GivenHeads()
    private let rule: FailoverRule
    private let tables: CollectionTables
    private let state: Mutex<State>

    /// `home` is the database's, which `here` has been compared with.
    init(_ home: Home, _ here: Incarnation, _ rule: FailoverRule, _ tables: CollectionTables) {
        (self.rule, self.tables) = (rule, tables)
        state = Mutex(State(home: home, admitted: here))
    }

    /// Calls `body` when the store can't be used any more, with the reason. The process must start again.
    func onEnd(_ body: @escaping @Sendable (StoreError) -> Void) { state.withLock { $0.watchers.append(body) } }

    // MARK: Connections

    /// Called with each new connection, before it is used. Blocks.
    func admit(_ connection: Connection) throws {
        let here = try Incarnation(connection)
        let end = try state.withLock { state -> StoreError? in
            guard state.end == nil else { throw DatabaseError.ended }
            guard state.admitted != here else { return nil }
            guard here.system == state.home.system else { return Self.otherSystem }
            guard here.timeline >= state.home.timeline else {
                throw DatabaseError(state: nil, message: "An earlier primary answers.")
            }
            _ = try Receipt().isWritten(connection)
            if here.timeline > state.home.timeline, try !follow(to: here, connection) { return Self.lostCommits }
            (state.admitted, state.home.timeline) = (here, here.timeline)
            return nil
        }
        guard let end else { return }
        self.end(end)
        throw DatabaseError.ended
    }

    /// Returns false if numbers have jumped.
    private func follow(to here: Incarnation, _ connection: Connection) throws -> Bool {
        let session = Session(connection, .writing)
        do {
            try session.send(AdvisoryLock.opening.statement)
            let mayGoOn = try rule != .jump && given.areKnown(to: session)
            if mayGoOn {
                try Home.follow(to: here, session)
            } else {
                _ = try PostgreSQLTransaction(session, tables, .installation).jump(to: here)
            }
            try session.send("COMMIT")
            try session.fly()
            return mayGoOn
        } catch {
            session.rollBack()
            throw error
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
