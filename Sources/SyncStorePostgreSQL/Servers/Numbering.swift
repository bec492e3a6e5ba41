import SyncProtocol
import SyncStoreSQL
import Synchronization

/// Gives numbers to commits. A sequence would not follow the order of commits, and a counter would make the writes of
/// all projects wait for each other. So a write leaves its commits in `tidemark_new_commits`, and whoever needs numbers
/// first moves all commits that are visible into `tidemark_numbers`.
///
/// Whatever was committed before is numbered then, and nothing can appear below a number that was given. A project's
/// commits are visible in their order, because they are made under its lock.
///
/// A snapshot is of one number only if all commits that it sees have one. Rows of a commit without a number lie above
/// every number that the snapshot knows, so a drain would leave them out, and their former values are gone: what it has
/// would be of no moment.
enum Numbering {
    /// How often a snapshot is taken anew, because it sees a commit without a number.
    private static let tries = 10

    /// Begins a transaction that reads, in which every commit has a number, and with it every commit whose writer has
    /// returned. If somebody commits before each try, the last one is taken as it is; and so is one of a database that
    /// takes no writes now.
    static func snapshot(_ connection: Connection, history: HistoryGuard?) throws -> Session {
        for _ in 0..<tries {
            let session = Session(connection, kind: .reading, history: history)
            guard try session.ask(isPending).first?.integer(0) != 0 else { return session }
            session.finishReading()
            do {
                try number(connection)
            } catch let error as DatabaseError where error.saysNoRoom || error.isReadOnly {
                break
            }
        }
        return Session(connection, kind: .reading, history: history)
    }

    /// Numbers all commits that are visible and have no number. Afterwards every commit whose writer has returned has
    /// one.
    static func settle(_ connection: Connection) throws {
        guard try connection.ask(isPending).first?.integer(0) != 0 else { return }
        try number(connection)
    }

    private static func number(_ connection: Connection) throws {
        try Session(connection, kind: .writing).commit(moveAll)
    }

    /// Queues the same, as part of a transaction.
    static func moveAll(_ session: Session) throws {
        try session.send(AdvisoryLock.numbers.statement)
        // A statement of its own, because it must see what is committed once the lock is held.
        try session.send(move)
    }

    private static let isPending = "SELECT CAST(EXISTS (SELECT 1 FROM tidemark_new_commits) AS INTEGER)"

    /// A clock that was set back counts as one that stands still.
    private static let move = """
        WITH new AS (
          DELETE FROM tidemark_new_commits RETURNING place, project_id, sync_seq, at, audiences, changes_sight
        )
        INSERT INTO tidemark_numbers (no, project_id, sync_seq, at, audiences, changes_sight)
        SELECT (\(SQLStatements.newestNumber)) + DENSE_RANK() OVER (ORDER BY place), project_id, sync_seq,
          GREATEST(MAX(at) OVER (PARTITION BY project_id ORDER BY sync_seq), COALESCE((
            SELECT n.at FROM tidemark_numbers n WHERE n.project_id = new.project_id ORDER BY n.no DESC LIMIT 1), 0)),
          audiences, changes_sight
        FROM new WHERE EXISTS (SELECT 1 FROM tidemark_projects p WHERE p.id = new.project_id)
        """
}

/// Numbers the commits of this server within a second, also if nobody asks for their numbers. A purge works by numbers.
final class Numberer: Sendable {
    private static let pause: Duration = .seconds(1)

    private let pool: ConnectionPool
    private let isAwake = Mutex(false)

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// Called after a commit.
    func wake() {
        let begins = isAwake.withLock { isAwake in
            defer { isAwake = true }
            return !isAwake
        }
        guard begins else { return }
        Task {
            try? await Task.sleep(for: Self.pause)
            isAwake.withLock { $0 = false }
            try? await pool.use { try Numbering.settle($0) }
        }
    }
}
