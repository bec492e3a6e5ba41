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
    let files: MemoryFiles
    private let sweep: @Sendable () async throws -> Void

    /// Starts a new process on a database that holds the users of `server`, with or without its projects. Each life of
    /// a run has a number. `jumpFactor` is called if the database is a backup.
    init(
        opening database: RunDatabase, like server: ServerProcess, life: Int, bug: PlantedBug?, files: MemoryFiles,
        isBackup: Bool = false,
        jumpFactor: @escaping @Sendable () -> Int64 = RestoreJump.randomFactor
    ) async throws {
        let (bench, other) = (server.bench, server.other)
        let stores = try database.open(bench.registry, isBackup: isBackup, jumpFactor: jumpFactor).map {
            Store($0, bug: bug)
        }
        try await self.init(
            bench.moved(to: stores[0]), other.moved(to: stores[0]), stores, life: life, on: database, files: files)
    }

    init(
        _ bench: Workbench<Store>, _ other: Workbench<Store>, _ stores: [Store], life: Int, on database: RunDatabase,
        files: MemoryFiles
    ) async throws {
        let newID = NewID.counted(prefix: "life\(life)-")
        self.database = database
        (self.bench, self.other) = (bench, other)
        self.files = files
        var transports: [InProcessTransport] = []
        var services: [Services<Store>] = []
        for store in stores {
            services.append(try await ServerProcess.services(store, bench.registry, files, newID))
            transports.append(try await ServerProcess.transport(services.last!))
        }
        transport = AlternatingTransport(transports)
        let first = services[0]
        // So that everything is older than what stays.
        sweep = { _ = try await first.fileSweep?.run(olderThan: .seconds(-1)) }
        // As at each start of a server.
        _ = try await first.fileComparison?.run()
    }

    /// Removes the files that no row names, however young they are.
    func sweepFiles() async throws { try await sweep() }

    private static func services(
        _ store: Store, _ registry: Registry, _ files: MemoryFiles, _ newID: NewID
    ) async throws -> Services<Store> {
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        (settings.writeRatePerProject, settings.writeRatePerUser) = (0, 0)
        return try await Services(
            store: store, registry: registry, settings: settings, accounts: Accounts(passwords: .quick), files: files,
            clock: WallClock { Workbench<Store>.noon }, newID: newID, deadline: .endless)
    }

    private static func transport(_ services: Services<Store>) async throws -> InProcessTransport {
        let server = SyncServer(services)
        let logger = Logger(label: "run") { _ in SwiftLogNoOpLogHandler() }
        return try await InProcessTransport(server.application(host: "server", port: 0, logger: logger))
    }

    /// For the writes of others to a project.
    func bench(of project: String) -> Workbench<Store> { project == other.project ? other : bench }
}
