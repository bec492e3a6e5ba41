import SyncStoreSQL

/// One run of one server with one history.
struct Incarnation: Equatable, Sendable {
    /// The number of the cluster of databases, which a physical copy keeps and a dump does not.
    let system: String
    /// Each promotion and each restore to a point in time begins a new timeline:
    /// https://www.postgresql.org/docs/15/continuous-archiving.html#BACKUP-TIMELINES
    let timeline: Int64
    private let startedAt: String

    init(system: String, timeline: Int64, startedAt: String) {
        (self.system, self.timeline, self.startedAt) = (system, timeline, startedAt)
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
        (system, timeline, startedAt) = (row.string(0), row.integer(1), row.string(2))
    }
}
