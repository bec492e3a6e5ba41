import Foundation
import Logging
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStores
import SyncTestKit

/// One life of the server, on one database. On PostgreSQL there are two servers.
struct ServerProcess: Sendable {
    let database: RunDatabase
    /// The services without HTTP: for writes that don't come from devices, and to look up what is true.
    let bench: Workbench<Store>
    /// The same of the second project, which is missing after an import.
    private let other: Workbench<Store>
    let transport: AlternatingTransport

    /// Starts a new process on a database that holds the users of `server`, with or without its projects. Each life of
    /// a run has a number. `jumpFactor` is called if the database is a backup.
    init(
        opening database: RunDatabase, like server: ServerProcess, life: Int, bug: PlantedBug?, isBackup: Bool = false,
        jumpFactor: @escaping @Sendable () -> Int64 = RestoreJump.randomFactor
    ) async throws {
        let (bench, other) = (server.bench, server.other)
        let stores = try database.open(bench.registry, isBackup: isBackup, jumpFactor: jumpFactor).map {
            Store($0, bug: bug)
        }
        try await self.init(bench.moved(to: stores[0]), other.moved(to: stores[0]), stores, life: life, on: database)
    }

    init(
        _ bench: Workbench<Store>, _ other: Workbench<Store>, _ stores: [Store], life: Int, on database: RunDatabase
    ) async throws {
        let newID = NewID.counted(prefix: "life\(life)-")
        self.database = database
        (self.bench, self.other) = (bench, other)
        var transports: [InProcessTransport] = []
        for store in stores { transports.append(try await ServerProcess.transport(store, bench.registry, newID)) }
        transport = AlternatingTransport(transports)
    }

    private static func transport(
        _ store: Store, _ registry: Registry, _ newID: NewID
    ) async throws -> InProcessTransport {
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        let server = SyncServer(
            try await Services(
                store: store, registry: registry, settings: settings,
                accounts: Accounts(passwords: .quick), clock: WallClock { Workbench<Store>.noon },
                newID: newID, deadline: .endless))
        let logger = Logger(label: "run") { _ in SwiftLogNoOpLogHandler() }
        return try await InProcessTransport(server.application(host: "server", port: 0, logger: logger))
    }

    /// For the writes of others to a project.
    func bench(of project: String) -> Workbench<Store> { project == other.project ? other : bench }
}
