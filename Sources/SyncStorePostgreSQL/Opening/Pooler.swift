import SyncStore

/// A connection pooler between Tidemark and PostgreSQL, such as PgBouncer. One that gives each transaction whatever
/// connection is free loses settings, prepared statements and locks.
enum Pooler {
    /// How often two connections are compared, because others may use the pooler too.
    private static let rounds = 5

    /// Throws a `StoreError` if the connection is shared between transactions. Asks nothing more if it leads to
    /// PostgreSQL itself.
    static func refuse(on connection: Connection, at address: ServerAddress) throws {
        let own = try process(of: connection)
        guard own != connection.process else { return }
        let other = try Connection(address, settings: SessionSettings.opening)
        for _ in 0..<rounds {
            let theirs = try process(of: other)
            if try isShared(own: own, later: process(of: connection), others: theirs) { throw error(address) }
        }
    }

    /// Whether two connections that are open at the same time can't be sessions of their own, by the processes of the
    /// server that answer them.
    static func isShared(own: Int64, later: Int64, others: Int64) -> Bool { own != later || own == others }

    private static func process(of connection: Connection) throws -> Int64 {
        try connection.ask("SELECT pg_backend_pid()", isKept: false).first?.integer(0) ?? 0
    }

    private static func error(_ address: ServerAddress) -> StoreError {
        StoreError(
            "A connection pooler at \(address) gives each transaction another connection.",
            hint: "Tidemark needs sessions of its own. Name PostgreSQL's own host and port in the address, or set the "
                + "pooler's mode to session (PgBouncer: pool_mode = session).")
    }
}
