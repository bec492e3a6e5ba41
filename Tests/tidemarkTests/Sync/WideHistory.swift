import SyncAccounts
import SyncAsyncHTTPClient
import SyncClientCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

@testable import tidemark

/// A random history of up to four projects on the real server, and devices that hold all projects of their users. They
/// are killed between pages, lose answers, and edit offline.
struct WideHistory {
    private let server: ServedProject
    private var benches: [Workbench<SQLiteStore>]
    private var writes: [RandomWrites]
    private var deleted: Set<String> = []
    private var devices: [WideDevice] = []
    private var random: SeededGenerator

    init(seed: UInt64) async throws {
        server = try await ServedProject()
        (benches, writes) = ([server.bench], [RandomWrites(prefix: "p1")])
        random = SeededGenerator(seed: seed)
        benches.append(try await server.bench.another("p2"))
        writes.append(RandomWrites(prefix: "p2"))
        for role in [Role.viewer, .member, .admin] {
            devices.append(try await WideDevice(role, of: server, seed: seed))
        }
    }

    mutating func run(steps: Int) async throws {
        for step in 1...steps {
            try await change()
            let index = random.below(devices.count)
            if random.oneIn(2) { try devices[index].edit() }
            try await devices[index].sync(
                random.oneIn(3) ? .pull : .both, pageSize: random.pick([1, 7, 1000]) ?? 1, kills: true)
            if step % 30 == 0 { try await settle() }
        }
        try await settle()
    }

    private mutating func change() async throws {
        switch random.below(24) {
        case 0 where benches.count < 4:
            let project = "p\(benches.count + 1)"
            benches.append(try await benches[0].another(project))
            writes.append(RandomWrites(prefix: project))
        case 1 where benches.count > 2: try await deleteProject()
        case 2: try await archive()
        case 3: try await benches[0].purge()
        case 4, 5, 6:
            // Grants and losses.
            guard let bench = random.pick(benches), let role = random.pick([Role.viewer, .member, .admin]),
                !deleted.contains(bench.project)
            else { return }
            let isMember = try await self.role(of: role, in: bench) != nil
            try await bench.setRole(of: role, to: isMember ? nil : random.pick([.viewer, .member, .admin]))
        default:
            let index = random.below(benches.count)
            try await benches[index].perform(writes[index].next(&random))
        }
    }

    /// The present role of the user who began with the role `user`.
    private func role(of user: Role, in bench: Workbench<SQLiteStore>) async throws -> Role? {
        let (project, id) = (bench.project, bench.caller(user).userID)
        return try await bench.store.read { try $0.access(project: project, user: id)?.role }
    }

    private mutating func deleteProject() async throws {
        guard random.oneIn(3), let bench = random.pick(benches), !deleted.contains(bench.project) else { return }
        deleted.insert(bench.project)
        try await bench.items.delete(bench.project, in: bench.registry.projects, if: .none, by: bench.caller(.owner))
    }

    private mutating func archive() async throws {
        guard let bench = random.pick(benches), !deleted.contains(bench.project) else { return }
        _ = try await bench.items.archive(random.oneIn(3), project: bench.project, by: bench.caller(.owner))
    }

    /// With nothing written in between, every replica has what its user may see in all projects.
    private mutating func settle() async throws {
        for device in devices { try await device.sync(.both, pageSize: 7, kills: false) }
        for device in devices {
            try device.giveUp()
            try await device.sync(.pull, pageSize: 1000, kills: false)
            var visible: [RowKey: JSON] = [:]
            for bench in benches where !deleted.contains(bench.project) {
                guard let present = try await role(of: device.role, in: bench) else { continue }
                try await visible.merge(bench.visibleRows(to: bench.caller(device.role), as: present)) { $1 }
            }
            let rows = try device.rows()
            let missing = visible.keys.filter { rows[$0] == nil }.map(\.id).sorted()
            let extra = rows.keys.filter { visible[$0] == nil }.map(\.id).sorted()
            let other = rows.filter { $0.value != visible[$0.key] && visible[$0.key] != nil }.map(\.key.id).sorted()
            #expect((missing, extra, other) == ([], [], []), "\(device.role)")
        }
    }
}

/// A device that holds all projects of its user.
final class WideDevice: Sendable {
    let role: Role
    private let server: ServedProject
    private let path: String
    private let token: String
    private let edits: Mutex<RandomEdits>
    private let dice: Mutex<SeededGenerator>
    /// The rows that answers of the server have named, whether the device got them or not.
    private let answered = Mutex<Set<RowKey>>([])

    init(_ role: Role, of server: ServedProject, seed: UInt64) async throws {
        (self.role, self.server) = (role, server)
        path = server.folder.path("\(role.word).replica")
        token = try await server.token(role)
        let user = server.bench.caller(.member).userID
        edits = Mutex(RandomEdits(seed: seed &* 31 &+ UInt64(role.rawValue), user: user))
        dice = Mutex(SeededGenerator(seed: seed &* 17 &+ UInt64(role.rawValue)))
    }

    private func replica() throws -> Replica { try Replica(path: path, scope: .allProjects) }

    private func collections(_ replica: Replica) throws -> [String] {
        try replica.schema()?.collections.map(\.name) ?? []
    }

    /// A few edits without a network, in projects that the replica has.
    func edit() throws {
        let replica = try replica()
        guard try replica.schema() != nil else { return }
        let projects = try replica.rows(of: "projects").compactMap { $0["id"]?.string }
        try edits.withLock { edits in
            for _ in 0..<3 where !projects.isEmpty {
                edits.project = projects[edits.below(projects.count)]
                try edits.edit(replica, named: role.word)
            }
        }
    }

    /// Syncs, perhaps until it is killed. No edit gets lost on the way.
    func sync(_ direction: SyncDirection, pageSize: Int, kills: Bool) async throws {
        let before = try unsent()
        try await withTransport { transport in
            var options = SyncOptions(pageSize: pageSize)
            options.readsAhead = false
            options.batchRows = 5
            let environment = SyncEnvironment(
                now: { .zero }, sleep: { _ in }, wallClock: { Instant(milliseconds: 0) }, seed: { 1 },
                newBatchID: SyncEnvironment.live.newBatchID)
            let syncer = try Syncer(
                remote: Remote(url: server.url, scope: .allProjects, token: token),
                transport: Shaky(device: self, transport: transport, kills: kills), replica: replica(),
                options: options, environment: environment)
            do {
                let pulled = direction == .pull ? try await syncer.pull() : try await syncer.sync().pulled
                // While the server is right, no digest differs.
                #expect(pulled?.replaced == [] && pulled?.differing == [], "\(role)")
            } catch is Killed {}
        }
        let (after, aside) = (try unsent(), Set(try replica().setAside().map { RowKey($0.collection, $0.id) }))
        let answered = answered.withLock { $0 }
        for key in before where !after.contains(key) && !aside.contains(key) && !answered.contains(key) {
            Issue.record("\(role): the edit of \(key.collection) \(key.id) is gone")
        }
    }

    /// New and edited rows.
    private func unsent() throws -> Set<RowKey> {
        let replica = try replica()
        return Set(
            try collections(replica).flatMap { name in
                try replica.rows(of: name).filter { $0["_status"] == "created" || $0["_status"] == "updated" }
                    .compactMap { row in row["id"]?.string.map { RowKey(name, $0) } }
            })
    }

    /// Gives up what the server refused. Nothing else may be unsent.
    func giveUp() throws {
        let replica = try replica()
        for row in try replica.refused() { try replica.giveUp(row) }
        #expect(try replica.unsentCount() == 0, "\(role)")
    }

    /// All rows, as a pull has them.
    func rows() throws -> [RowKey: JSON] {
        let replica = try replica()
        var rows: [RowKey: JSON] = [:]
        for name in try collections(replica) {
            for row in try replica.rows(of: name) {
                let fields = (row.object ?? [:]).filter { !["_status", "_changed"].contains($0.key) }
                rows[RowKey(name, row["id"]?.string ?? "")] = .object(fields)
            }
        }
        return rows
    }

    private func withTransport(_ body: (AsyncHTTPClientTransport) async throws -> Void) async throws {
        let transport = AsyncHTTPClientTransport()
        do { try await body(transport) } catch {
            try await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
    }

    fileprivate func note(_ answer: TransportResponse) {
        guard (200..<300).contains(answer.status), let json = try? JSON(parsing: answer.body) else { return }
        answered.withLock { answered in
            for (name, buckets) in json["applied"]?.object ?? [:] {
                for entry in (buckets.object ?? [:]).values.flatMap({ $0.array ?? [] }) {
                    answered.insert(RowKey(name, entry["id"]?.string ?? entry.string ?? ""))
                }
            }
        }
    }

    fileprivate func below(_ limit: Int) -> Int { dice.withLock { $0.below(limit) } }
}

/// The device was killed. No part of the library knows this error, so nothing cleans up.
private struct Killed: Error {}

/// Loses answers, and kills the device when one arrives.
private struct Shaky: Transport {
    let device: WideDevice
    let transport: AsyncHTTPClientTransport
    let kills: Bool

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = try await transport.send(request)
        if request.method == .post { device.note(answer) }
        switch device.below(kills ? 10 : 20) {
        case 0 where kills: throw Killed()
        case 1: throw TransportError.interrupted("lost")
        default: return answer
        }
    }
}
