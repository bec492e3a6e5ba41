import SyncProtocol
package import SyncSchema
import SyncStore
package import SyncStoreSQL

/// A database on a server that a copy makes. It has none of Tidemark's tables before.
package struct PostgreSQLCopyTarget: CopyTarget {
    private let address: ServerAddress
    private let tables: CollectionTables
    package var name: String { address.description }

    package init(_ address: ServerAddress, _ registry: Registry) throws {
        try TableNames.check(registry, PostgreSQLDialect())
        try TableLimits.check(registry, PostgreSQLDialect())
        (self.address, tables) = (address, CollectionTables(registry, PostgreSQLDialect()))
    }

    package func unfinished() throws -> DatabaseMove? {
        let connection = try Connection.forLongWork(address)
        try connection.requireUsable(address)
        return try CopyFailure.translated(name) {
            let session = Session(connection, .reading)
            defer { session.finishReading() }
            let reader = PostgreSQLCopyReader(name: name, session: session, registry: tables.registry)
            if try DatabaseLayout.isPresent(session) {
                guard let move = DatabaseMove(try reader.setting(DatabaseMove.unfinishedMark)) else { throw notEmpty }
                return move
            }
            try TakenNames.refuse(tables.registry.collections.map { tables[$0].layout }, own: nil, session)
            return nil
        }
    }

    package func filling(_ body: (any CopyWriter) throws -> Void) throws {
        let connection = try Connection.forLongWork(address)
        try CopyFailure.translated(name) {
            let here = try Incarnation(connection)
            try Session(connection, .writing).commit { session in
                try session.send(AdvisoryLock.opening.statement)
                try session.fly()
                try body(PostgreSQLCopyWriter(name, session, tables, here))
            }
            if connection.takeReplicationWarning() { throw DatabaseError.notReplicated }
        }
    }

    package func finish() throws {
        let connection = try Connection.forLongWork(address)
        try CopyFailure.translated(name) {
            _ = try connection.ask(
                "DELETE FROM tidemark_settings WHERE name = ?1", [.string(DatabaseMove.unfinishedMark)])
        }
    }

    private var notEmpty: StoreError {
        StoreError(
            "The database \(name) is not empty. It was not changed.",
            hint: "Make a new one with: createdb --encoding=UTF8 --template=template0 NAME")
    }
}
