import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL

/// A database on a server that is copied. Servers may run on it. Meanwhile they answer writes with 503, and end once
/// the database is marked as moved.
package struct PostgreSQLCopySource: CopySource {
    private let address: ServerAddress
    private let tables: CollectionTables
    private let mender: any RowMender
    package var name: String { address.description }

    package init(_ address: ServerAddress, _ registry: Registry, mender: any RowMender) {
        (self.address, self.mender) = (address, mender)
        tables = CollectionTables(registry, PostgreSQLDialect())
    }

    private func requireTables(_ connection: Connection) throws {
        let session = Session(connection, .reading)
        defer { session.finishReading() }
        guard try DatabaseLayout.isPresent(session) else { throw CopyFailure.noDatabase(name) }
    }

    package func movedTo() throws -> DatabaseMove? {
        let connection = try Connection.forLongWork(address)
        return try CopyFailure.translated(name) {
            try requireTables(connection)
            let session = Session(connection, .reading)
            defer { session.finishReading() }
            return DatabaseMove(try reader(session).setting(DatabaseMove.movedMark))
        }
    }

    package func reading(_ body: (any CopyReader) throws -> DatabaseMove?) throws {
        let connection = try Connection.forLongWork(address)
        try CopyFailure.translated(name) {
            try requireTables(connection)
            let first = FirstConnection(address: address, opener: .guest) { _ in }
            _ = try Opening(first, tables, mender, RestoreJump.randomFactor).run()
            // Writers share the lock. It is the session's, because the transaction must not see what was there before
            // the lock was held. It ends with the connection.
            _ = try connection.ask("SELECT pg_advisory_lock(\(AdvisoryLock.opening.rawValue))")
            try Numbering.settle(connection)
            try read(Session(connection, .copying), body)
        }
    }

    private func reader(_ session: Session) -> PostgreSQLCopyReader {
        PostgreSQLCopyReader(name: name, session: session, registry: tables.registry)
    }

    private func read(_ session: Session, _ body: (any CopyReader) throws -> DatabaseMove?) throws {
        try session.commit { session in
            let reader = reader(session)
            try DatabaseMove.requireServable(name) { try reader.setting($0) }
            if let move = try body(reader) { try mark(move, session) }
        }
    }

    /// With the new epoch, servers that are running end.
    private func mark(_ move: DatabaseMove, _ session: Session) throws {
        try session.send(DatabaseMove.record, [.string(DatabaseMove.movedMark), .string(move.text)])
        try session.send("UPDATE tidemark_home SET epoch = epoch + 1")
    }
}
