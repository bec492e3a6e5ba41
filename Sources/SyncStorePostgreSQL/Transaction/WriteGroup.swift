import SyncProtocol
import SyncStore
import SyncStoreSQL

/// Group commit: writes of one queue share a transaction, and with it one wait for the disk and the standby.
///
/// The first write of a group runs directly in the transaction. Each later one runs in a savepoint, so an error undoes
/// only that write. Every write is resumed after its commit.
final class WriteGroup {
    /// The server keeps up to 64 sub-transactions of a transaction in shared memory. With more, every snapshot takes
    /// longer: https://www.postgresql.org/docs/15/subxacts.html
    static let mostMembers = 60
    /// A group that has changed this many rows takes no further write.
    static let fullGroup = 250

    /// The writes that were not resumed.
    struct Rest: Sendable {
        /// Writes that were not applied. Each may succeed if it is tried again alone.
        var undone: [Member] = []
        /// Why the first of them failed.
        var error: DatabaseError?
        /// Writes that were applied or not: the connection was lost during the commit.
        var uncertain: [Member] = []
        /// What tells whether `uncertain` were applied.
        let receipt = Receipt()
        /// The heads of the projects if they were.
        var heads: [String: SyncSeq] = [:]
        let begun = ContinuousClock.now
        /// Whether the group had one member only.
        var isAlone = true
    }

    private let session: Session
    private let tables: CollectionTables
    private let history: HistoryGuard
    /// The writes that are in the transaction, and those that it has refused.
    private var members: [Member] = []
    private var rest = Rest()
    /// The number of writes that were committed together.
    private(set) var size = 0

    init(_ connection: Connection, _ tables: CollectionTables, _ history: HistoryGuard) {
        session = Session(connection, .writing, history)
        (self.tables, self.history) = (tables, history)
    }

    /// Runs and commits a group. `next` returns its further members; nil ends the group.
    func commit(_ first: Member, next: () -> Member?) -> Rest {
        do {
            members = [first]
            try begin(first)
            try first.write.run(session)
        } catch {
            session.rollBack()
            leave([first], after: error)
            return rest
        }
        do {
            while hasRoom, let member = next() {
                members.append(member)
                rest.isAlone = false
                if members.count == 2 { try verify() }
                try join(member)
            }
        } catch {
            session.rollBack()
            leave(members, after: error)
            return rest
        }
        do {
            // libpq sends a full buffer by itself, so from here on the server may commit.
            try session.finish(rest.receipt)
            try session.connection.fly()
            if session.connection.takeReplicationWarning() { throw DatabaseError.notReplicated }
            for (project, head) in session.pending.heads { history.given.note(project, head) }
            for member in members { member.write.finish() }
            size = members.count
        } catch let error as DatabaseError where error.isConnectionLost {
            (rest.uncertain, rest.error, rest.heads) = (members, error, session.pending.heads)
        } catch {
            session.rollBack()
            leave(members, after: error)
        }
        return rest
    }

    private var hasRoom: Bool { members.count < Self.mostMembers && session.pending.changed < Self.fullGroup }

    /// Begins the transaction, takes the locks of the scope, and fetches what the member needs. Whoever works on the
    /// whole installation may ask for numbers of commits.
    private func begin(_ member: Member) throws {
        if case .installation = member.scope { try Numbering.settle(session.connection) }
        let transaction = PostgreSQLTransaction(session, tables, member.scope)
        var epoch: Int64 = 0
        try session.send(AdvisoryLock.opening.sharedStatement)
        try session.send(Home.epochQuestion) { epoch = (try? $0.get())?.first?.integer(0) ?? 0 }
        switch member.scope {
        case .project(let id): try transaction.lock([id])
        case .projects(let ids): try transaction.lock(ids)
        case .accounts: try session.send(AdvisoryLock.accounts.statement)
        case .accountsAndProjects(let ids):
            try session.send(AdvisoryLock.accounts.statement)
            try transaction.lock(ids)
        case .row, .user, .installation: break
        }
        try transaction.fetch(member.needs())
        try session.fly()
        try history.require(epoch: epoch)
    }

    /// Runs a later member. Throws only if the whole transaction is lost.
    private func join(_ member: Member) throws {
        let before = session.pending
        session.pending.beginMember()
        do {
            try session.send("SAVEPOINT member")
            try PostgreSQLTransaction(session, tables, member.scope).fetch(member.needs())
            try member.write.run(session)
            try verify()
            try session.send("RELEASE SAVEPOINT member")
        } catch {
            guard !session.connection.isLost else { throw error }
            try session.undo(to: "member")
            session.pending = before
            guard let error = error as? DatabaseError else { return member.write.refuse(error) }
            members.removeLast()
            leave([member], after: error)
        }
    }

    /// Has the server run what is queued, and judge the references of new rows.
    private func verify() throws {
        try session.send("SET CONSTRAINTS ALL IMMEDIATE")
        try session.send("SET CONSTRAINTS ALL DEFERRED")
        try session.fly()
    }

    /// Fails a write whose own body threw; others are left to be tried again.
    private func leave(_ members: [Member], after error: any Error) {
        if let error = error as? DatabaseError {
            rest.undone += members
            rest.error = error
        } else {
            for member in members { member.write.fail(error) }
        }
    }
}
