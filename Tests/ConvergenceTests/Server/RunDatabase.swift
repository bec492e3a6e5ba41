import Foundation
import PostgreSQLTestKit
import SyncEngine
import SyncSchema
import SyncStorePostgreSQL
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores

/// The engine that a run's database is on.
enum RunEngine: String, CaseIterable, Sendable {
    case sqlite
    /// With two servers, which answer in turn.
    case postgresql
}

/// The database of a run.
enum RunDatabase: Sendable {
    case file(String)
    case server(TestDatabase)

    /// An empty one. `path` is for a file.
    init(_ engine: RunEngine, path: String) throws {
        switch engine {
        case .sqlite: self = .file(path)
        case .postgresql: self = .server(try TestDatabase())
        }
    }

    /// Opens it as servers do. `jumpFactor` is called if it is a backup.
    func open(_ registry: Registry, isBackup: Bool, jumpFactor: @escaping @Sendable () -> Int64) throws -> [EngineStore]
    {
        switch self {
        case .file(let path):
            let store = try SQLiteStore(
                path: path, registry: registry, opener: .server, mender: DraftMender(), jumpFactor: jumpFactor)
            return [.sqlite(store)]
        case .server(let database):
            if isBackup { try database.open(registry, as: .restored, jumpFactor: jumpFactor).close() }
            return try [database.open(registry), database.open(registry)].map { .postgreSQL($0) }
        }
    }

    /// A copy as it is at this moment.
    func copy(to path: String) throws -> RunDatabase {
        switch self {
        case .file(let source):
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source + suffix) {
                try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
            }
            return .file(path)
        case .server(let source): return .server(try TestDatabase(copyOf: source))
        }
    }

    /// What the next server finds after `kill -9` of all servers at this moment.
    func leftByKill(at path: String) throws -> RunDatabase {
        switch self {
        case .file: return try copy(to: path)
        case .server(let database):
            try database.endOtherSessions()
            return self
        }
    }

    /// A backup, as an operator makes one.
    func backUp(to path: String) throws -> RunDatabase {
        guard case .file(let source) = self else { return try copy(to: path) }
        _ = try Backup(of: source, to: path).run()
        return .file(path)
    }
}
