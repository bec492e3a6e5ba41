import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStoreSQL
import SyncStores
import SyncTestKit

/// The store that all runs use.
typealias Store = PlantedStore<EngineStore, PlantedBug>

/// Two projects with a user of every role, and their tokens. They are made once for each engine; each run begins with a
/// copy of the database.
struct Template: Sendable {
    let registry: Registry
    /// By the role that the user begins with.
    let tokens: [Role: String]
    private let server: ServerProcess
    private let users: RunDatabase
    private let folder: TemporaryFolder

    private static let onSQLite = Task { try await Template(.sqlite) }
    private static let onPostgreSQL = Task { try await Template(.postgresql) }

    static func shared(_ engine: RunEngine) async throws -> Template {
        switch engine {
        case .sqlite: try await onSQLite.value
        case .postgresql: try await onPostgreSQL.value
        }
    }

    private init(_ engine: RunEngine) async throws {
        let folder = try TemporaryFolder()
        registry = try RunSchema.registry()
        let database = try RunDatabase(engine, path: folder.path("t.db"))
        let stores = try database.open(registry, isBackup: false, jumpFactor: RestoreJump.randomFactor).map {
            Store($0, bug: nil)
        }
        var tokens: [Role: String] = [:]
        var users: RunDatabase?
        let bench = try await Workbench(stores[0], registry) { accounts, callers in
            for role in Role.allCases {
                tokens[role] = try await accounts.createToken(for: callers[role]!.username.rawValue, name: "run")
            }
            users = try database.copy(to: folder.path("users.db"))
        }
        // The copies then contain what a server adds at its first start.
        server = try await ServerProcess(
            bench, bench.another(Edit.second), stores, life: 0, on: database, files: MemoryFiles())
        (self.folder, self.tokens, self.users) = (folder, tokens, users!)
    }

    /// Starts a server on a copy that has the users but no project.
    func startEmpty(at path: String, life: Int, bug: PlantedBug?, files: MemoryFiles) async throws -> ServerProcess {
        try await ServerProcess(opening: users.copy(to: path), like: server, life: life, bug: bug, files: files)
    }

    /// Starts a server on a copy.
    func start(at path: String, bug: PlantedBug?, files: MemoryFiles) async throws -> ServerProcess {
        try await ServerProcess(opening: server.database.copy(to: path), like: server, life: 1, bug: bug, files: files)
    }
}
