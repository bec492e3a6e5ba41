import Foundation
import SyncProtocol
import SyncStore
import SyncStoreSQL

/// Compares the database's home with where the connection leads, when the database is opened.
struct HomeSettling {
    /// How long a start waits for a server that was running during a failover and knows what was there before.
    private static let patience: Duration = .seconds(60)

    private let here: Incarnation
    private let opener: DatabaseOpener
    private let tables: CollectionTables
    private let jumpFactor: () -> Int64

    init(
        _ here: Incarnation, opener: DatabaseOpener, tables: CollectionTables, jumpFactor: @escaping () -> Int64
    ) {
        self.here = here
        self.opener = opener
        self.tables = tables
        self.jumpFactor = jumpFactor
    }

    /// Whether there is nothing to do.
    func isSettled(_ home: Home) throws(StoreError) -> Bool {
        guard opener != .restored, home.system == here.system else { return false }
        guard here.timeline >= home.timeline else {
            throw StoreError(
                "The database's address leads to an earlier primary: its timeline is \(here.timeline), and the "
                    + "database was at \(home.timeline).",
                hint: "Stop that server. After a restore to a point in time, run `tidemark restored`.")
        }
        return home.timeline == here.timeline
    }

    /// After a promotion, gives servers that were running time to find out whether anything was lost.
    func waitForServers(_ home: Home?, _ connection: Connection) throws {
        guard let home, opener == .server(.ask), home.system == here.system else { return }
        let isAnyRunning = """
            SELECT CAST(EXISTS (SELECT 1 FROM tidemark_nodes WHERE seen_at > now() - interval '60 s') AS INTEGER)
            """
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline, try connection.ask(isAnyRunning).first?.integer(0) == 1 {
            let timeline = try connection.ask("SELECT timeline FROM tidemark_home").first?.integer(0) ?? 0
            if timeline >= here.timeline { return }
            // Nobody else uses this thread.
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    /// Does what is to be done, under the lock. Returns the jump, if there was one. Throws a `StoreError` if somebody
    /// has to say what happened.
    func settle(_ session: Session) throws -> RestoreJump? {
        guard let home = try Home.read(session), try !isSettled(home) else { return nil }
        guard home.system == here.system else {
            // A dump in another cluster.
            return try jump(session)
        }
        switch opener {
        case .restored, .server(.jump): return try jump(session)
        case .promoted: break
        case .server(.trust): try requireSynchronousStandby(session)
        case .server(.ask), .guest, .reader: throw Self.undecided
        }
        try Home.follow(to: here, session)
        return nil
    }

    private func jump(_ session: Session) throws -> RestoreJump {
        try PostgreSQLTransaction(session, tables: tables, scope: .installation).jump(to: here, factor: jumpFactor())
    }

    private func requireSynchronousStandby(_ session: Session) throws {
        let names = try session.ask("SHOW synchronous_standby_names").first?.string(0) ?? ""
        guard names.isEmpty else { return }
        throw StoreError(
            "TIDEMARK_DATABASE_FAILOVER is trust, but commits wait for no standby: a failover may have lost some.",
            hint: "Set synchronous_standby_names, or set TIDEMARK_DATABASE_FAILOVER to jump.")
    }

    private static let undecided = StoreError(
        "Since the database was last used, a standby was promoted or a backup was restored.",
        hint: "If nothing was lost, run `tidemark promoted`. Otherwise run `tidemark restored`.")
}

/// The history that the database's numbers belong to, as `tidemark_home` has it.
struct Home: Equatable, Sendable {
    var system: String
    var timeline: Int64
    /// Goes up when servers must start again: after a change of the tables, and after a jump.
    var epoch: Int64

    static let tables = [
        """
        CREATE TABLE IF NOT EXISTS tidemark_home (
          id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
          system TEXT NOT NULL,
          timeline BIGINT NOT NULL,
          epoch BIGINT NOT NULL
        )
        """,
        // The servers that are running. See `Heartbeat`.
        """
        CREATE TABLE IF NOT EXISTS tidemark_nodes (
          name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
          seen_at TIMESTAMPTZ NOT NULL
        )
        """,
    ]

    static let epochQuestion = "SELECT epoch FROM tidemark_home"

    static func read(_ session: Session) throws -> Home? {
        try session.ask("SELECT system, timeline, epoch FROM tidemark_home").first.map {
            Home(system: $0.string(0), timeline: $0.integer(1), epoch: $0.integer(2))
        }
    }

    /// Makes the present incarnation the database's home, with a new epoch.
    static func move(to here: Incarnation, _ session: Session) throws {
        try session.send(
            """
            INSERT INTO tidemark_home (id, system, timeline, epoch) VALUES (1, ?1, ?2, 1)
            ON CONFLICT (id) DO UPDATE SET system = excluded.system, timeline = excluded.timeline,
              epoch = tidemark_home.epoch + 1
            """, [.string(here.system), .int(here.timeline)])
    }

    /// Has all servers start again.
    static func countUp(_ session: Session) throws {
        try session.send("UPDATE tidemark_home SET epoch = epoch + 1")
    }

    /// Follows a promotion that has lost nothing. Servers go on.
    static func follow(to here: Incarnation, _ session: Session) throws {
        try session.send(
            "UPDATE tidemark_home SET timeline = GREATEST(timeline, ?2) WHERE system = ?1",
            [.string(here.system), .int(here.timeline)])
    }
}

/// One run of one server with one history.
struct Incarnation: Equatable, Sendable {
    /// The number of the cluster of databases, which a physical copy keeps and a dump does not.
    let system: String
    /// Each promotion and each restore to a point in time begins a new timeline:
    /// https://www.postgresql.org/docs/15/continuous-archiving.html#BACKUP-TIMELINES
    let timeline: Int64
    private let startedAt: String

    init(system: String, timeline: Int64, startedAt: String) {
        self.system = system
        self.timeline = timeline
        self.startedAt = startedAt
    }

    /// The one that the connection leads to. An ordinary role may ask.
    init(_ connection: Connection) throws {
        // `pg_control_checkpoint()` names the old timeline for a while after a promotion.
        let row = try connection.ask(
            """
            SELECT CAST((SELECT system_identifier FROM pg_control_system()) AS TEXT),
              CAST(CAST(CAST('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS BIT(32)) AS INTEGER)
                AS BIGINT),
              CAST(pg_postmaster_start_time() AS TEXT)
            """
        ).first
        guard let row else { throw DatabaseError(state: nil, message: "The server did not say which one it is.") }
        system = row.string(0)
        timeline = row.integer(1)
        startedAt = row.string(2)
    }
}

extension PostgreSQLTransaction {
    /// Raises all numbers, makes the incarnation the database's home, and has all servers start again. The lock of
    /// opening must be held.
    func jump(to here: Incarnation, factor: Int64 = RestoreJump.randomFactor()) throws -> RestoreJump {
        try Numbering.moveAll(session)
        let jump = try jump(factor: factor)
        try session.send("UPDATE tidemark_projects SET changes = changes + 1")
        try Home.move(to: here, session)
        return jump
    }
}
