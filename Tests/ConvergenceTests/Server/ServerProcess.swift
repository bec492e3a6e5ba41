import Foundation
import Logging
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit

/// One life of the server, on one file.
struct ServerProcess: Sendable {
    let path: String
    /// The services without HTTP: for writes that don't come from devices, and to look up what is true.
    let bench: Workbench<Store>
    /// The same of the second project, which is missing after an import.
    private let other: Workbench<Store>
    let transport: InProcessTransport

    /// Starts a new process on a file that holds the users of `server`, with or
    /// without its projects. `jumpFactor` is called if the file is a backup.
    init(
        opening path: String, like server: ServerProcess, bug: PlantedBug?,
        jumpFactor: @Sendable () -> Int64 = RestoreJump.randomFactor
    ) async throws {
        let (bench, other) = (server.bench, server.other)
        let file = try SQLiteStore(
            path: path, registry: bench.registry, opener: .server, mender: DraftMender(), jumpFactor: jumpFactor)
        let store = Store(file, bug: bug)
        try await self.init(bench.moved(to: store), other.moved(to: store), at: path)
    }

    init(_ bench: Workbench<Store>, _ other: Workbench<Store>, at path: String) async throws {
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        let server = SyncServer(
            try await Services(
                store: bench.store, registry: bench.registry, settings: settings,
                accounts: Accounts(passwords: .quick), clock: WallClock { Workbench<Store>.noon }, deadline: .endless))
        let logger = Logger(label: "run") { _ in SwiftLogNoOpLogHandler() }
        self.path = path
        (self.bench, self.other) = (bench, other)
        transport = try await InProcessTransport(server.application(host: "server", port: 0, logger: logger))
    }

    /// For the writes of others to a project.
    func bench(of project: String) -> Workbench<Store> { project == other.project ? other : bench }

    /// Copies the file as `kill -9` would leave it now, together with its log.
    static func copyImage(from path: String, to target: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
        }
    }
}
