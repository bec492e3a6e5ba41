import Logging
import ServiceLifecycle
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncTestKit

/// The real server on its own port, with a project `p1`, for the lifetime of this object.
final class ServedProject: Sendable {
    let folder: TemporaryFolder
    let url: String
    let bench: Workbench<SQLiteStore>
    private let group: ServiceGroup
    private let run: Task<Void, any Error>

    init(_ certificate: ServedCertificate? = nil) async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        bench = try await Workbench(store, registry)
        let server = SyncServer(
            try await Services(
                store: store, registry: registry, accounts: Accounts(passwords: .quick),
                clock: WallClock { Workbench<SQLiteStore>.noon }, deadline: .endless))
        var edge = Edge()
        if let files = try certificate?.write(to: folder) {
            edge.certificates = try Certificates(certificate: files.certificate, key: files.key)
        }
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

    /// The token of a member who may write tasks.
    func token() async throws -> String {
        try await bench.accounts.createToken(for: bench.caller(.member).username.rawValue, name: "test")
    }
}
