import SyncProtocol

/// Tells whether a transaction was committed, although the connection was lost before the server had answered. The
/// transaction writes the receipt. Only one transaction can write it: either that one, or the one that asks.
struct Receipt: Sendable {
    let id = Int64.random(in: .min ... .max)

    /// Queues the receipt's row in a transaction that is about to be committed.
    func write(_ session: Session) throws {
        try session.send("INSERT INTO tidemark_receipts (id) VALUES (?1)", [.int(id)])
    }

    /// Whether the transaction with this receipt was committed. Afterwards it can't be committed any more. Waits while
    /// the server still works on it, and for the standby to have it.
    ///
    /// The row is changed if it is there, because a transaction that writes nothing does not wait for the standby.
    func isWritten(_ connection: Connection) throws -> Bool {
        let session = Session(connection, .writing)
        do {
            let tries = try session.ask(
                """
                INSERT INTO tidemark_receipts (id) VALUES (?1)
                ON CONFLICT (id) DO UPDATE SET tries = tidemark_receipts.tries + 1 RETURNING tries
                """, [.int(id)]
            ).first?.integer(0)
            try session.send("COMMIT")
            try session.fly()
            return tries != 0
        } catch {
            session.rollBack()
            throw error
        }
    }
}
