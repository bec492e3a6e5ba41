import Hummingbird
import Logging
import NIOCore
import PostgreSQLTestKit
import ServiceLifecycle
import SyncEngine
import SyncFiles
import SyncSchema
import SyncServer
import SyncStore
import SyncTestKit
import SystemPackage

/// The real application on its own port. It stops with this object, or by `stop`.
final class TestServer: Sendable {
    let url: String
    let port: Int
    private let folder: TemporaryFolder
    private let database: TestDatabase?
    /// What the server does by itself once a minute: it writes what it noted of devices, and counts them.
    let writeDevices: @Sendable () async throws -> Void
    /// How many event streams and held pulls are being told of commits.
    let listeners: @Sendable () -> Int
    /// What the server does by itself once an hour: it removes files that nobody names.
    let sweepFiles: @Sendable () async throws -> Int
    /// Also done when the server starts, at the same time as other things.
    let compareFiles: @Sendable () async throws -> Void
    let maintenance: Maintenance
    private let watchBackups: @Sendable (BackupTimer.Place) -> Void
    private let group: ServiceGroup
    private let run: Task<Void, any Error>

    /// Returns once the port is open.
    init(
        _ store: some SyncStore, _ registry: Registry, in folder: TemporaryFolder, clock: WallClock,
        settings: SyncSettings = SyncSettings(), accounts: Accounts = Accounts(passwords: .quick),
        observation: ObservationSettings = ObservationSettings(), events: EventSettings = EventSettings(),
        deadline: StreamDeadline = .endless, edge: Edge = .patient,
        logger: Logger = .silent, maintenance: Maintenance = Maintenance(),
        fileSettings: FileSettings = FileSettings(), faults: Faults? = nil, keeping database: TestDatabase? = nil
    ) async throws {
        (self.database, self.maintenance) = (database, maintenance)
        let fileFolder = FileFolder(FilePath(folder.path("files")))
        let files: any FileStore = faults.map { FaultyFiles(inner: fileFolder, faults: $0) } ?? fileFolder
        let services = try await Services(
            store: store, registry: registry, settings: settings, accounts: accounts,
            files: files, fileSettings: fileSettings, clock: clock,
            deadline: deadline)
        sweepFiles = { try await services.fileSweep?.run() ?? 0 }
        compareFiles = { _ = try await services.fileComparison?.run() }
        let server = SyncServer(services, observation: observation, events: events, maintenance: maintenance)
        writeDevices = {
            try await services.devices.write()
            try await services.devices.count()
        }
        listeners = { services.feed.count }
        watchBackups = { server.watch($0) }
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let application = server.application(host: "127.0.0.1", port: 0, edge: edge, logger: logger) {
            opened.yield($0)
        }
        let group = ServiceGroup(configuration: .init(services: [application], logger: .silent))
        self.group = group
        self.folder = folder
        run = Task {
            defer { opened.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await run.value
            throw CancellationError()
        }
        self.port = port
        url = "\(edge.certificates == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    deinit { Task { [group] in await group.triggerGracefulShutdown() } }

    func watch(_ backups: BackupTimer.Place) { watchBackups(backups) }

    /// Returns when no part of the application runs any more.
    func stop() async {
        await group.triggerGracefulShutdown()
        _ = await run.result
    }
}

extension Edge {
    /// Limits that no test is too slow for.
    static var patient: Edge {
        var limits = EdgeLimits()
        (limits.idle, limits.stall, limits.transfer) = (.hours(1), .hours(1), .hours(1))
        limits.body = .hours(1)
        (limits.streamStall, limits.streamTransfer) = (.hours(1), .hours(1))
        return Edge(limits: limits)
    }
}

extension Logger {
    static var silent: Logger { LogSettings().logger { _ in } }
}
