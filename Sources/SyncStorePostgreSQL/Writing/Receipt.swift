import SyncProtocol
import SyncStore
import SyncStoreSQL

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
        let isCommit = try Session(connection, .writing).commit { session in
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
