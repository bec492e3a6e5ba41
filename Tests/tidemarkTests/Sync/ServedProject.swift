import Logging
import ServiceLifecycle
import SyncAccounts
import SyncEngine
import SyncFiles
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import SystemPackage

/// The real server on its own port, with a project `p1`, for the lifetime of this object.
final class ServedProject: Sendable {
    let folder: TemporaryFolder
    let url: String
    let bench: Workbench<SQLiteStore>
    private let group: ServiceGroup
    private let run: Task<Void, any Error>

    convenience init(_ certificate: ServedCertificate? = nil, files: FileSettings = FileSettings()) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        var edge = Edge()
        if let pair = try certificate?.write(to: folder) {
            edge.certificates = try Certificates(certificate: pair.certificate, key: pair.key)
        }
        try await self.init(folder, try await Workbench(store, registry), registry, edge, files)
    }

    /// Another server on the same database, which takes uploads of these collections only.
    convenience init(on other: ServedProject, uploading names: String...) async throws {
        try await self.init(other.folder, other.bench, other.bench.registry.limitingUploads(to: names), Edge())
    }

    /// The same server again, after `other` was stopped.
    convenience init(restarting other: ServedProject, files: FileSettings = FileSettings()) async throws {
        try await self.init(other.folder, other.bench, other.bench.registry, Edge(), files)
    }

    private init(
        _ folder: TemporaryFolder, _ bench: Workbench<SQLiteStore>, _ registry: Registry, _ edge: Edge,
        _ files: FileSettings = FileSettings()
    ) async throws {
        (self.folder, self.bench) = (folder, bench)
        // The clock stands still, so an allowance would never refill.
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        let server = SyncServer(
            try await Services(
                store: bench.store, registry: registry, settings: settings, accounts: Accounts(passwords: .quick),
                files: FileFolder(FilePath(folder.path("files"))), fileSettings: files,
                clock: WallClock { Workbench<SQLiteStore>.noon }, deadline: .endless))
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = server.application(host: "127.0.0.1", port: 0, edge: edge, logger: logger) {
            opened.yield($0)
        }
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        self.group = group
        run = Task {
            defer { opened.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
        url = "\(edge.certificates == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    deinit { Task { [group] in await group.triggerGracefulShutdown() } }

    /// Stops as at SIGTERM.
    func stop() async {
        await group.triggerGracefulShutdown()
        _ = try? await run.value
    }

    /// A token of the member with this role. A plain member may write tasks.
    func token(_ role: Role = .member) async throws -> String {
        try await bench.accounts.createToken(for: bench.caller(role).username.rawValue, name: "test")
    }
}
