import Foundation
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncTestKit

/// One run: a server, its devices, and the network between them.
///
/// Everything in a run happens in this actor, one step after the other, with its own ids and clock. So a plan always
/// does the same.
actor World {
    var server: ServerProcess
    var devices: [any Device] = []
    var ledger = Ledger()
    var repetitions = Repetitions()
    /// Requests that were sent and have not arrived.
    var held: [HeldRequest] = []
    /// How many requests have been sent.
    var requests = 0
    /// What the server has answered, if somebody wants to know.
    private(set) var answers: [Exchanged]?
    /// What will happen to the next requests, by device.
    var incidents: [Int: [Incident]] = [:]
    var backup: (database: RunDatabase, ledger: Ledger, repetitions: Repetitions, era: Int64, files: MemoryFiles)?
    var exported: Export?
    /// The server's files.
    var files = MemoryFiles()
    /// The bytes of all files that devices have added, by digest.
    var added: [String: Data] = [:]
    /// Whether an import has replaced the database.
    var wasImported = false
    var impostor: Impostor
    let bug: PlantedBug?
    /// The users' tokens, by the role that they begin with.
    let tokens: [Role: String]
    /// The number of the server's present history, in steps of 2^32.
    var era: Int64 = 0
    let template: Template
    private let folder: TemporaryFolder
    private(set) var lives = 1
    private var eras: Set<Int64> = []
    private var backups: Set<String> = []
    private var random: SeededGenerator

    /// A request that the network holds back.
    struct HeldRequest {
        let request: TransportRequest
        /// It arrives before the request with this number.
        let due: Int
    }

    init(_ plan: Plan, _ template: Template, bug: PlantedBug?) async throws {
        folder = try TemporaryFolder()
        server = try await template.start(at: folder.path("server-1.db"), bug: bug, files: files)
        self.bug = bug
        self.template = template
        tokens = template.tokens
        impostor = Impostor(bug: bug)
        random = SeededGenerator(seed: plan.seed)
        for (index, spec) in plan.devices.enumerated() { devices.append(try device(spec, index, template)) }
    }

    private func device(_ spec: DeviceSpec, _ index: Int, _ template: Template) throws -> any Device {
        let token = template.tokens[spec.user] ?? ""
        switch spec.kind {
        case .client:
            return try ClientDevice(
                spec, index: index, at: folder.path("device-\(index).db"), token: token, bug: bug)
        case .naive:
            return NaiveDevice(
                spec, index: index, caller: server.bench.caller(spec.user), token: token)
        }
    }

    /// Runs a whole plan, makes the network sound, and checks the result.
    /// Throws `Failure`, or any other error that stopped the run.
    static func run(_ plan: Plan, on engine: RunEngine = .sqlite, bug: PlantedBug? = nil) async throws {
        let world = try await World(plan, Template.shared(engine), bug: bug)
        try await world.perform(plan.operations)
        try await world.heal()
        try await world.check()
    }

    /// From now on, keeps what the server answers.
    func keepAnswers() { answers = [] }

    func keep(_ response: TransportResponse, to request: TransportRequest) {
        if answers != nil { answers?.append(Exchanged(request, response)) }
    }

    // MARK: The server's life

    /// Does what `kill -9` does: the next process opens the database as it is at this moment.
    func restart() async throws {
        server = try await ServerProcess(
            opening: server.database.leftByKill(at: nextPath()), like: server, life: lives, bug: bug, files: files)
    }

    func backUp() throws {
        let path = folder.path("backup-\(lives)-\(requests).db")
        guard backups.insert(path).inserted else { return }
        backup = (try server.database.backUp(to: path), ledger, repetitions, era, files)
    }

    func restore() async throws {
        guard let backup else { return }
        ledger.bury(try await tombstones())
        ledger.goBack(to: backup.ledger, kept: try devices.map { try $0.keptTexts() })
        repetitions = backup.repetitions
        let (path, factor) = (nextPath(), jumpFactor(from: backup.era))
        // The files stay as they are: a restore goes back behind uploads and sweeps.
        files = backup.files
        server = try await ServerProcess(
            opening: backup.database.copy(to: path), like: server, life: lives, bug: bug, files: files,
            isBackup: true
        ) { factor }
        era = backup.era + factor
    }

    /// Never lets a history reuse the numbers of another one, which would happen once in 4096 times.
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
