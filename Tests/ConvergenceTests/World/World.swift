import Foundation
import SyncClient
import SyncProtocol
import SyncSchema
import SyncStoreSQLite
import SyncTestKit

/// One run: a server, its devices, and the network between them.
///
/// Everything in it happens in this actor and one after the other, with ids and time of its own, so that a plan does
/// the same whenever it is run.
actor World {
    var server: ServerProcess
    var devices: [any Device] = []
    var ledger = Ledger()
    var repetitions = Repetitions()
    /// What has gone out and not arrived.
    var held: [HeldRequest] = []
    /// How many requests have been sent.
    var requests = 0
    /// What is to happen to the next requests, by device.
    var incidents: [Int: [Incident]] = [:]
    var backup: (path: String, ledger: Ledger, repetitions: Repetitions, era: Int64)?
    var exported: Export?
    var impostor: Impostor
    let bug: PlantedBug?
    /// Of the server's history, by 2^32.
    var era: Int64 = 0
    private let folder: TemporaryFolder
    private var lives = 1
    private var eras: Set<Int64> = []
    private var random: SeededGenerator

    /// A request that the network keeps.
    struct HeldRequest {
        let request: TransportRequest
        /// The number of the request in front of which it arrives.
        let due: Int
    }

    init(_ plan: Plan, _ template: Template, bug: PlantedBug?) async throws {
        folder = try TemporaryFolder(in: Template.parent)
        server = try await template.start(at: folder.path("server-1.db"), bug: bug)
        self.bug = bug
        impostor = Impostor(bug: bug)
        random = SeededGenerator(seed: plan.seed)
        for (index, spec) in plan.devices.enumerated() { devices.append(try device(spec, index, template)) }
    }

    private func device(_ spec: DeviceSpec, _ index: Int, _ template: Template) throws -> any Device {
        let (token, project) = (template.tokens[spec.user] ?? "", server.bench.project)
        switch spec.kind {
        case .client:
            return try ClientDevice(
                spec, index: index, at: folder.path("device-\(index).db"), token: token, project: project, bug: bug)
        case .naive:
            return NaiveDevice(
                spec, index: index, caller: server.bench.caller(spec.user), token: token, project: project)
        }
    }

    /// Does all of a plan, heals the network, and looks. Throws `Failure`, or what else went wrong.
    static func run(_ plan: Plan, bug: PlantedBug? = nil) async throws {
        let world = try await World(plan, Template.shared.value, bug: bug)
        try await world.perform(plan.operations)
        try await world.heal()
        try await world.check()
    }

    // MARK: The server's life

    /// `kill -9`: the next process opens the image of the file at this moment.
    func restart() async throws {
        let path = nextPath()
        try ServerProcess.copyImage(from: server.path, to: path)
        server = try await ServerProcess(opening: path, like: server.bench, bug: bug)
    }

    func backUp() throws {
        let path = folder.path("backup-\(lives)-\(requests).db")
        guard !FileManager.default.fileExists(atPath: path) else { return }
        _ = try Backup(of: server.path, to: path).run()
        backup = (path, ledger, repetitions, era)
    }

    func restore() async throws {
        guard let backup else { return }
        ledger.bury(try await tombstones())
        ledger.goBack(to: backup.ledger, kept: try devices.map { try $0.keptTexts() })
        repetitions = backup.repetitions
        let (path, factor) = (nextPath(), jumpFactor(from: backup.era))
        try ServerProcess.copyImage(from: backup.path, to: path)
        server = try await ServerProcess(opening: path, like: server.bench, bug: bug) { factor }
        era = backup.era + factor
    }

    /// Drawn so that no history lands on the numbers of another one, as two would once in 4096 times.
    private func jumpFactor(from era: Int64) -> Int64 {
        while true {
            let factor = Int64(1 + random.below(4096))
            if eras.insert(era + factor).inserted { return factor }
        }
    }

    func nextPath() -> String {
        lives += 1
        return folder.path("server-\(lives).db")
    }
}
