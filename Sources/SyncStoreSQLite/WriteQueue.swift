import GRDB
import GRDBSQLite
import SyncStore
import SyncStoreSQL
import Synchronization

/// Group commit: writes that wait for the writer share its next transaction, and with it one sync of the disk.
///
/// The first write of a group runs directly in the transaction. Each later one runs in a
/// savepoint, so an error undoes only that write. No write waits for others to join: if
/// the writer is idle, it is committed at once. Every write returns after its commit.
final class WriteQueue: Sendable {
    /// A group that has changed this many rows takes no further write. By then the disk's share of the time is small,
    /// the first writes wait for the last, and a large savepoint costs more than a transaction.
    static let fullGroup = 250
    /// A group of this many writes takes no further one, even if they
    /// changed little. New writes could otherwise keep it open without end.
    static let mostMembers = 128

    private struct State {
        var waiting: [any WaitingWrite<Database>] = []
        /// Whether a task works on the queue.
        var isActive = false
        /// Since when the writer is at work on what it has.
        var takenAt: ContinuousClock.Instant?
        /// The committed groups, by the number of their writes.
        var groups = StoreMetrics().groups
        /// Called after each commit.
        var watchers: [@Sendable () -> Void] = []
    }

    private let pool: DatabasePool
    private let checkpoints: Checkpoints
    private let groups: Bool
    /// Called when a write found no room, before the next one is tried.
    private let onFull: @Sendable () -> Void
    private let state = Mutex(State())

    /// Without `groups`, every write has a transaction of its own.
    init(
        _ pool: DatabasePool, _ checkpoints: Checkpoints, groups: Bool, onFull: @escaping @Sendable () -> Void = {}
    ) {
        self.pool = pool
        self.checkpoints = checkpoints
        self.groups = groups
        self.onFull = onFull
    }

    /// Runs `body` once, or twice if the commit of its group fails. Returns
    /// after a durable commit. If `body` throws, nothing is changed.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(
                    Write(continuation) { db in
                        let value = try body(db)
                        try db.requireSoundReferences()
                        return value
                    })
                defer { state.isActive = true }
                return !state.isActive
            }
            if begins { pool.asyncWriteWithoutTransaction { self.workOff($0) } }
        }
    }

    /// Calls `body` after each commit of the queue.
    func onCommit(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.watchers.append(body) } }

    /// The number of writes that wait.
    var count: Int { state.withLock { $0.waiting.count } }
    /// For how long the writer has been at work on a group of writes; zero if it is idle.
    var oldestAge: Duration { state.withLock(\.takenAt).map { .now - $0 } ?? .zero }
    /// The number of writes in each commit so far.
    var groupSizes: Histogram { state.withLock { $0.groups } }
    /// Whether the writer is at work and no other write waits.
    var isHeldUp: Bool { state.withLock { $0.isActive && $0.waiting.isEmpty } }

    private func workOff(_ db: Database) {
        while let first = next(orEnd: true) {
            commit(first, db)
            checkpoints.runIfDue(db)
        }
    }

    /// Takes the next write. If there is none and `orEnd` is true, the work on the queue ends.
    private func next(orEnd: Bool) -> (any WaitingWrite<Database>)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                if orEnd { (state.isActive, state.takenAt) = (false, nil) }
                return nil
            }
            if orEnd { state.takenAt = .now }
            return state.waiting.removeFirst()
        }
    }

    /// Commits a group. If that fails, each of its writes is tried alone, because another one may be to blame.
    private func commit(_ first: any WaitingWrite<Database>, _ db: Database) {
        var group = [first]
        do {
            try transaction(db) {
                let before = db.totalChangesCount
                try first.run(db)
                try fill(&group, db) { db.totalChangesCount - before < WriteQueue.fullGroup }
            }
            finish(group)
        } catch {
            if group.count == 1 { return fail(first, error) }
            for write in group { alone(write, db) }
        }
    }

    private func alone(_ write: any WaitingWrite<Database>, _ db: Database) {
        do {
            try transaction(db) { try write.run(db) }
            finish([write])
        } catch {
            fail(write, error)
        }
    }

    /// A write that failed alone.
    private func fail(_ write: any WaitingWrite<Database>, _ error: any Error) {
        if (error as? DatabaseError)?.resultCode == .SQLITE_FULL { onFull() }
        write.fail(error)
    }

    private func finish(_ group: [any WaitingWrite<Database>]) {
        let watchers = state.withLock { state in
            state.groups.add(Double(group.count))
            return state.watchers
        }
        for write in group { write.finish() }
        for watcher in watchers { watcher() }
    }

    /// Adds waiting writes. Throws if the whole transaction is lost.
    private func fill(
        _ group: inout [any WaitingWrite<Database>], _ db: Database, whileThereIsRoom: () -> Bool
    ) throws {
        while groups, group.count < WriteQueue.mostMembers, whileThereIsRoom(), let write = next(orEnd: false) {
            group.append(write)
            do {
                try db.inMemberSavepoint { try write.run(db) }
            } catch {
                // An error such as a full disk can end the whole transaction: https://sqlite.org/lang_transaction.html
                guard db.isInsideTransaction else { throw error }
                write.refuse(error)
            }
        }
    }

    private func transaction(_ db: Database, _ body: () throws -> Void) throws {
        do {
            try checkpoints.guarded {
                try db.inTransaction(.immediate) {
                    try body()
                    return .commit
                }
            }
        } catch {
            let error = (error as? DatabaseError)?.withCause(sqlite3_system_errno(db.sqliteConnection)) ?? error
            checkpoints.makeRoom(after: error)
            throw error
        }
    }
}

extension Database {
    /// Like `inSavepoint`, but with statements that are compiled once.
    fileprivate func inMemberSavepoint(_ body: () throws -> Void) throws {
        try run("SAVEPOINT member")
        do {
            try body()
        } catch {
            // The error may have ended the transaction.
            if isInsideTransaction { try run("ROLLBACK TO member") }
            if isInsideTransaction { try run("RELEASE member") }
            throw error
        }
        try run("RELEASE member")
    }

    private func run(_ sql: String) throws { try each(sql) { _ in true } }

    /// Throws if a deferred foreign key is violated at this moment. At the commit it would fail the whole group:
    /// https://sqlite.org/c3ref/c_dbstatus_options.html#sqlitedbstatusdeferredfks
    fileprivate func requireSoundReferences() throws {
        var (open, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
        if open != 0 {
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "A reference is left dangling.")
        }
    }
}
