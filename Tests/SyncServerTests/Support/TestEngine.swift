import Foundation
import PostgreSQLTestKit
import SyncEngine
import SyncSchema
import SyncStoreSQLite
import SyncStores

/// The engine that scenes run on: SQLite, unless `TIDEMARK_TEST_ENGINE` says `postgresql`.
enum TestEngine {
    static let isSQLite = ProcessInfo.processInfo.environment["TIDEMARK_TEST_ENGINE"] != "postgresql"

    /// A store on a new database: the file at `path`, or one of a server, which is dropped with the second value.
    static func open(_ path: String, _ registry: Registry) throws -> (EngineStore, TestDatabase?) {
        guard !isSQLite else {
            let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
            return (.sqlite(store), nil)
        }
        let database = try TestDatabase()
        return (.postgreSQL(try database.open(registry)), database)
    }
}
