/// How to reach the database, and what every connection is asked before it is used.
struct DatabaseLine: Sendable {
    let address: ServerAddress
    let settings: String
    let history: HistoryGuard

    /// Connects. Blocks.
    func open() throws -> Connection {
        let connection = try Connection(address, settings: settings)
        try history.admit(connection)
        return connection
    }

    /// Whether a connection that was opened before can still be used.
    func isUsable(_ connection: Connection) -> Bool { !connection.isLost && history.isCurrent(connection) }
}
