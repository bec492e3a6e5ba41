import SyncProtocol
import SyncStoreSQL

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
