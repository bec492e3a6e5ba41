import Logging
import SyncLoad
import SyncProtocol
import SyncServer
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
@testable import tidemark

/// The real server on a file with a sample project.
struct LoadScene: Sendable {
    let folder: TemporaryFolder
    let running: Running
    let project: String
    let tokens: [String]

    init(rows: Int = 300, users: Int = 3) async throws {
        folder = try TemporaryFolder()
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        let wiring = try await Wiring(database: folder.path("load.db"), as: .server(.ask), settings: settings)
        let prepared = try await SamplePreparation(wiring: wiring, rows: rows, seed: 1)
            .run(users: users, project: "sample") { _ in }
        project = prepared["project"]?.string ?? ""
        tokens = prepared["tokens"]?.array?.compactMap(\.string) ?? []
        let server = SyncServer(wiring.services)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        running = try await Running { server.application(host: "127.0.0.1", port: 0, logger: logger, onRunning: $0) }
    }

    func plan(_ profile: LoadProfile, clients: Int, actions: Int, gzip: Bool) -> LoadPlan {
        var plan = LoadPlan(target: running.target, profile: profile)
        (plan.project, plan.tokens, plan.clients) = (project, tokens, clients)
        (plan.extent, plan.acceptsGzip, plan.pageSize) = (.actions(actions), gzip, 50)
        return plan
    }
}
