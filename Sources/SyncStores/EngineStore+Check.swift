import SyncStore
package import SyncStoreSQL
import SyncStoreSQLite

#if PostgreSQL
    import SyncStorePostgreSQL
#endif

extension EngineStore {
    /// Checks a database, a file or a server's, without changing it. Throws a `StoreError` if it can't be checked.
    package static func check(_ database: String) throws -> CheckReport {
        guard isServer(database) else { return try DatabaseCheck(path: database).run() }
        #if PostgreSQL
            return try PostgreSQLCheck(ServerAddress(database)).run()
        #else
            throw missing
        #endif
    }
}
