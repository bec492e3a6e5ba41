import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL
import SyncStoreSQLite

#if PostgreSQL
    import SyncStorePostgreSQL
#endif

extension DatabaseCopy {
    /// A copy between two databases, each a file or a server's. `mender` makes rows follow a changed schema, if the
    /// source is a file. Nothing is opened yet.
    package init(
        from source: String, to target: String, _ registry: Registry, mender: any RowMender, keepsSource: Bool
    ) throws {
        self.init(
            try EngineStore.source(source, registry: registry, mender: mender),
            to: try EngineStore.target(target, registry),
            keepsSource: keepsSource, at: WallClock.system.now())
    }
}

extension EngineStore {
    fileprivate static func source(
        _ database: String, registry: Registry, mender: any RowMender
    ) throws -> any CopySource {
        guard isServer(database) else {
            return SQLiteCopySource(path: database, registry: registry, mender: mender)
        }
        #if PostgreSQL
            return PostgreSQLCopySource(try ServerAddress(database), registry, mender: mender)
        #else
            throw missing
        #endif
    }

    fileprivate static func target(_ database: String, _ registry: Registry) throws -> any CopyTarget {
        guard isServer(database) else { return SQLiteCopyTarget(path: database, registry: registry) }
        #if PostgreSQL
            return try PostgreSQLCopyTarget(ServerAddress(database), registry)
        #else
            throw missing
        #endif
    }

    #if !PostgreSQL
        static let missing = StoreError(
            "This binary was built without PostgreSQL.", hint: "Build it with the trait PostgreSQL, or use a file.")
    #endif
}
