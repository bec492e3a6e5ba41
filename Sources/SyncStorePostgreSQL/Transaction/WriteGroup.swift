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

    init(_ connection: Connection, tables: CollectionTables, history: HistoryGuard) {
        session = Session(connection, kind: .writing, history: history)
        self.tables = tables
        self.history = history
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
            rest.uncertain = members
            rest.error = error
            rest.heads = session.pending.heads
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
        let transaction = PostgreSQLTransaction(session, tables: tables, scope: member.scope)
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
            try PostgreSQLTransaction(session, tables: tables, scope: member.scope).fetch(member.needs())
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

/// Tells whether a transaction was committed, although the connection was lost before the server had answered. The
/// transaction writes the receipt. Only one transaction can write it: either that one, or the one that asks.
struct Receipt: Sendable {
    /// The second when it was made, so that receipts lie in their order and old ones are found.
    private let at = Self.second()
    private let id = Int64.random(in: .min ... .max)
    /// For how long receipts are kept, in seconds. Nobody asks for one after a minute.
    private static let age: Int64 = 24 * 3600
    private var key: [JSON] { [.int(at), .int(id)] }

    private static func second() -> Int64 { WallClock.system.now().milliseconds / 1000 }

    /// Deletes receipts that nobody will ask for.
    static func purge(_ connection: Connection) throws {
        _ = try connection.ask("DELETE FROM tidemark_receipts WHERE at < ?1", [.int(second() - age)])
    }

    /// Queues the receipt's row in a transaction that is about to be committed.
    func write(_ session: Session) throws {
        try session.send("INSERT INTO tidemark_receipts (at, id, is_commit) VALUES (?1, ?2, 1)", key)
    }

    /// Whether the transaction with this receipt was committed. Afterwards it can't be committed any more. Waits while
    /// the server still works on it, and for the standby to have it.
    ///
    /// A row that is there says whose it is, because an earlier question may have written it and lost its connection.
    /// The row is changed even so, because a transaction that writes nothing does not wait for the standby.
    func isWritten(_ connection: Connection) throws -> Bool {
        let isCommit = try Session(connection, kind: .writing).commit { session in
            try session.ask(
                """
                INSERT INTO tidemark_receipts (at, id, is_commit) VALUES (?1, ?2, 0)
                ON CONFLICT (at, id) DO UPDATE SET asked = tidemark_receipts.asked + 1 RETURNING is_commit
                """, key
            ).first?.integer(0)
        }
        if connection.takeReplicationWarning() { throw DatabaseError.notReplicated }
        return isCommit == 1
    }
}

/// The keys of Tidemark's advisory locks in its database:
/// https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS
enum AdvisoryLock: Int64 {
    /// One server at a time makes or changes tables, or raises numbers. Writers share the lock.
    case opening = 7_450_001
    /// Writes of accounts run one after the other.
    case accounts = 7_450_002
    /// One server at a time gives numbers to commits.
    case numbers = 7_450_003
    /// One server at a time purges.
    case purge = 7_450_004

    init(_ job: UpkeepJob) {
        self =
            switch job {
            case .purge: .purge
            }
    }

    /// Takes the lock of an idempotency key, ?1, until the end of the transaction. Locks with two numbers never clash
    /// with those that have one.
    static let keyStatement = "SELECT pg_advisory_xact_lock(7450, hashtext(?1))"

    /// Takes the lock until the end of the transaction.
    var statement: String { "SELECT pg_advisory_xact_lock(\(rawValue))" }

    /// Takes it until the end of the connection. True if nobody has it.
    var attempt: String { "SELECT pg_try_advisory_lock(\(rawValue))" }

    /// Takes it beside others who share it.
    var sharedStatement: String { "SELECT pg_advisory_xact_lock_shared(\(rawValue))" }
}
