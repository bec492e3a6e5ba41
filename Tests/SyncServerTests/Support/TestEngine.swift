import Foundation
import PostgreSQLTestKit
import SyncEngine
import SyncSchema
import SyncStoreSQLite
import SyncStores
import SyncTestKit

/// The engine that scenes run on: SQLite, unless `TIDEMARK_TEST_ENGINE` says `postgresql`.
enum TestEngine {
    static let isSQLite = ProcessInfo.processInfo.environment["TIDEMARK_TEST_ENGINE"] != "postgresql"

    /// Where a scene's database is.
    struct Place {
        let folder: TemporaryFolder
        let store: EngineStore
        /// A file's path or a server's address.
        let database: String

        init(_ folder: TemporaryFolder, _ store: EngineStore, _ database: TestDatabase?) {
            (self.folder, self.store) = (folder, store)
            self.database = database?.addressText ?? folder.path("t.db")
        }
    }

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
