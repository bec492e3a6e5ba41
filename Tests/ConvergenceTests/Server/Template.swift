import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStoreSQLite
import SyncTestKit

/// The store that all runs use.
typealias Store = PlantedStore<SQLiteStore>

/// Two projects with a user of every role, and their tokens. They are made once; each run begins with a copy of the
/// file.
struct Template: Sendable {
    let registry: Registry
    /// By the role that the user begins with.
    let tokens: [Role: String]
    private let server: ServerProcess
    private let folder: TemporaryFolder

    static let shared = Task { try await Template() }

    /// A folder in memory, where nothing waits for a disk, if there is one.
    static var parent: URL {
        let memory = URL(filePath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path())
        return isThere ? memory : FileManager.default.temporaryDirectory
    }

    private init() async throws {
        let folder = try TemporaryFolder(in: Template.parent)
        registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        var tokens: [Role: String] = [:]
        let bench = try await Workbench(Store(store, bug: nil), registry) { accounts, callers in
            for role in Role.allCases {
                tokens[role] = try await accounts.createToken(for: callers[role]!.username.rawValue, name: "run")
            }
            try ServerProcess.copyImage(from: folder.path("t.db"), to: folder.path("users.db"))
        }
        // The copies then contain what a server adds at its first start.
        server = try await ServerProcess(bench, bench.another(Edit.second), at: folder.path("t.db"))
        (self.folder, self.tokens) = (folder, tokens)
    }

    /// Starts a server on a copy that has the users but no project.
    func startEmpty(at path: String, bug: PlantedBug?) async throws -> ServerProcess {
        try ServerProcess.copyImage(from: folder.path("users.db"), to: path)
        return try await ServerProcess(opening: path, like: server, bug: bug)
    }

    /// Starts a server on a copy.
    func start(at path: String, bug: PlantedBug?) async throws -> ServerProcess {
        try ServerProcess.copyImage(from: folder.path("t.db"), to: path)
        return try await ServerProcess(opening: path, like: server, bug: bug)
    }
}
