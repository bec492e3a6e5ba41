import SyncStoreSQL

/// What the server does with a PostgreSQL database.
struct DatabaseSettings: Equatable {
    /// What is done at a start after a failover that no running server has seen; `TIDEMARK_DATABASE_FAILOVER`.
    var failover = FailoverRule.ask
}
