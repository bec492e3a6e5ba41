import PostgreSQLTestKit
import SyncEngine
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQLite
import SyncTestKit

/// The implementations of `SyncStore`, which all pass the same suites.
enum StoreKind: CaseIterable {
    case sqlite, postgresql, model

    /// Calls `body` with a new store.
    func withStore(_ registry: Registry, _ body: (any SyncStore) async throws -> Void) async throws {
        switch self {
        case .sqlite:
            let folder = try TemporaryFolder()
            try await body(
                SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()))
        case .postgresql:
            let database = try TestDatabase()
            let store = try database.open(registry)
            defer { store.close() }
            try await body(store)
        case .model: try await body(ModelStore(registry: registry))
        }
    }
}
