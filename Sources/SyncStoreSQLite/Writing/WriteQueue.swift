import GRDB
import GRDBSQLite
import SyncStore
import Synchronization

/// Group commit: writes that wait for the writer share its next transaction, and with it one wait for the disk.
///
/// The first member of a group runs in the transaction itself, each later one in a savepoint, so that what one throws
/// undoes that one alone. Nobody waits for company: a write that finds the writer idle is committed at once. Every write
/// returns behind the commit.
final class WriteQueue: Sendable {
    /// A group that has changed so many rows takes no further member: the disk's share is small by then, the first ones
    /// wait for the last, and a large savepoint costs more than a transaction.
    static let fullGroup = 250
    /// Nor does one with so many members, whatever they changed: those who come could keep it open for ever.
    static let mostMembers = 128

    private struct State {
        var waiting: [any WaitingWrite] = []
        /// Whether the queue is being worked off.
        var isActive = false
        /// Committed groups, by the number of their members.
        var groups = StoreMetrics().groups
    }

    private let pool: DatabasePool
    private let checkpoints: Checkpoints
    private let groups: Bool
    private let state = Mutex(State())

    /// Without `groups` every write has a transaction of its own.
    init(_ pool: DatabasePool, _ checkpoints: Checkpoints, groups: Bool) {
        self.pool = pool
        self.checkpoints = checkpoints
        self.groups = groups
    }

    /// Runs `body` once, or, where a group's commit fails, once more. Returns behind a durable commit; when `body` throws,
    /// nothing is left behind.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Write(body, continuation))
                defer { state.isActive = true }
                return !state.isActive
            }
            if begins { pool.asyncWriteWithoutTransaction { self.workOff($0) } }
        }
    }

    /// How many wait, and whether somebody is at work.
    var count: Int { state.withLock { $0.waiting.count } }
    var groupSizes: Histogram { state.withLock { $0.groups } }
    var isHeldUp: Bool { state.withLock { $0.isActive && $0.waiting.isEmpty } }

    private func workOff(_ db: Database) {
        while let first = next(orEnd: true) {
            commit(first, db)
            checkpoints.runIfDue(db)
        }
    }

    /// The write whose turn it is. Where there is none, the work ends if `orEnd`.
    private func next(orEnd: Bool) -> (any WaitingWrite)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                if orEnd { state.isActive = false }
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    /// Commits a group. Where that fails, each of its members is tried alone, as the fault may be another's.
    private func commit(_ first: any WaitingWrite, _ db: Database) {
        var group = [first]
        do {
            try transaction(db) {
                let before = db.totalChangesCount
                try first.run(db)
                try fill(&group, db) { db.totalChangesCount - before < WriteQueue.fullGroup }
            }
            finish(group)
        } catch {
            if group.count == 1 { return first.fail(error) }
            for write in group { alone(write, db) }
        }
    }

    private func alone(_ write: any WaitingWrite, _ db: Database) {
        do {
            try transaction(db) { try write.run(db) }
            finish([write])
        } catch {
            write.fail(error)
        }
    }

    private func finish(_ group: [any WaitingWrite]) {
        state.withLock { $0.groups.add(Double(group.count)) }
        for write in group { write.finish() }
    }

    /// Adds those who wait. Throws where the transaction itself is lost.
    private func fill(
        _ group: inout [any WaitingWrite], _ db: Database, whileThereIsRoom: () -> Bool
    ) throws {
        while groups, group.count < WriteQueue.mostMembers, whileThereIsRoom(), let write = next(orEnd: false) {
            group.append(write)
            do {
                try db.inMemberSavepoint { try write.run(db) }
            } catch {
                // A full disk, for one, can end more than the savepoint: https://sqlite.org/lang_transaction.html
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
            checkpoints.makeRoom(after: error)
            throw error
        }
    }
}

/// A write in the queue, whatever its value. On the writer's queue alone from `run` on.
private protocol WaitingWrite: Sendable {
    /// Throws what the body throws, and for references that are left dangling: found at the commit, they would be
    /// everybody's fault.
    func run(_ db: Database) throws
    /// Its outcome will be this error, once the group is committed.
    func refuse(_ error: any Error)
    /// Has the caller go on with the outcome.
    func finish()
    func fail(_ error: any Error)
}

private final class Write<Value: Sendable>: WaitingWrite {
    private let body: @Sendable (Database) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private let outcome = Mutex<Result<Value, any Error>?>(nil)

    init(
        _ body: @escaping @Sendable (Database) throws -> Value, _ continuation: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func run(_ db: Database) throws {
        let value = try body(db)
        try db.requireSoundReferences()
        outcome.withLock { $0 = .success(value) }
    }

    func refuse(_ error: any Error) { outcome.withLock { $0 = .failure(error) } }

    func finish() { continuation.resume(with: outcome.withLock { $0 }!) }

    func fail(_ error: any Error) { continuation.resume(throwing: error) }
}

extension Database {
    /// As `inSavepoint`, with statements that are compiled once.
    fileprivate func inMemberSavepoint(_ body: () throws -> Void) throws {
        try run("SAVEPOINT member")
        do {
            try body()
        } catch {
            // Not after an error that has ended the transaction.
            if isInsideTransaction { try run("ROLLBACK TO member") }
            if isInsideTransaction { try run("RELEASE member") }
            throw error
        }
        try run("RELEASE member")
    }

    private func run(_ sql: String) throws { try each(sql) { _ in true } }

    /// Throws where a deferred foreign key is violated now:
    /// https://sqlite.org/c3ref/c_dbstatus_options.html#sqlitedbstatusdeferredfks
    fileprivate func requireSoundReferences() throws {
        var (open, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
        if open != 0 {
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "A reference is left dangling.")
        }
    }
}
