import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Synchronization

/// One random history. After each step, something is committed that all users see: in a project where nothing else
/// happens. Numbers are handed over in order, so whoever was told of that was told of everything before it.
final class FeedRun {
    typealias Store = PlantedStore<SQLiteStore, PlantedFeedBug>

    /// Where nothing happens except that.
    static let lobby = PlantedFeedBug.lobby

    private(set) var faults: [String] = []
    private let bug: PlantedFeedBug?
    private let folder: TemporaryFolder
    private let registry: Registry
    private let store: Store
    private let lobby: Workbench<Store>
    private var projects: [String: (bench: Workbench<Store>, writes: RandomWrites)] = [:]
    private var random: SeededGenerator
    private var server: TestServer
    private var streams: [Role: StreamWatcher] = [:]
    private var pulls: [Role: PullWatcher] = [:]
    private var sights: [Role: Sights] = [:]

    init(seed: UInt64, bug: PlantedFeedBug?) async throws {
        (self.bug, random) = (bug, SeededGenerator(seed: seed))
        (folder, registry) = (try TemporaryFolder(), try Registry.builtIn())
        let file = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        store = Store(file, bug: bug)
        lobby = try await Workbench(store, registry, project: Self.lobby)
        for id in ["p1", "p2"] { projects[id] = (try await lobby.another(id), RandomWrites(prefix: id)) }
        server = try await FeedRun.server(store, registry, folder)
        for role in Role.allCases {
            let token = try await lobby.accounts.createToken(
                for: lobby.caller(role).username.rawValue, name: "test", isReadOnly: true, validFor: nil)
            let client = Client(server: server, project: Self.lobby, token: token)
            sights[role] = Sights()
            streams[role] = StreamWatcher(
                client, dropsMerged: bug == .mergedPokeDropsOne, givesUp: bug != nil)
            pulls[role] = PullWatcher(client, endsWithTheHead: bug == .hiddenHeadEndsAPull)
        }
    }

    private static func server(_ store: Store, _ registry: Registry, _ folder: TemporaryFolder) async throws
        -> TestServer
    {
        try await TestServer(
            store, registry, in: folder, clock: WallClock { Workbench<Store>.noon })
    }

    func run(steps: Int) async throws {
        for role in Role.allCases { try await streams[role]?.open() }
        for step in 0..<steps where faults.isEmpty { try await self.step(step) }
        for role in Role.allCases { await pulls[role]?.stop() }
        await server.stop()
    }

    private func step(_ step: Int) async throws {
        switch random.below(12) {
        case 0: streams[random.pick(Role.allCases)!]?.cut()
        case 1: try await restart()
        default: break
        }
        for _ in 0...random.below(3) { try await write() }
        let head = try await greet(step)
        // Some read later, when more has come.
        for role in Role.allCases where !random.oneIn(4) {
            try await require(role, head, step)
        }
    }

    private func restart() async throws {
        await server.stop()
        server = try await FeedRun.server(store, registry, folder)
        for role in Role.allCases {
            streams[role]?.client = streams[role]!.client.at(server)
            pulls[role]?.move(to: server)
        }
    }

    /// Something that everybody sees, in the lobby. Returns its number.
    private func greet(_ step: Int) async throws -> Int64 {
        _ = try await lobby.upload(
            ["created": [["id": .string("greeting-\(step)"), "name": "Hello"]]],
            batch: "00000000-0000-4000-9000-" + String(100_000_000_000 + step))
        return try await store.read { try $0.project(Self.lobby)?.head.rawValue ?? 0 }
    }

    // MARK: Writing

    private func write() async throws {
        let id = random.oneIn(2) ? "p1" : "p2"
        let write = projects[id]!.writes.next(&random)
        let before = try await seen(id)
        if random.oneIn(5) {
            let guest = try SQLiteStore(
                path: folder.path("t.db"), registry: registry, opener: .guest, mender: DraftMender())
            let bench = try await projects[id]!.bench.moved(to: Store(guest, bug: bug))
            try await bench.perform(write)
            try guest.close()
        } else {
            try await projects[id]!.bench.perform(write)
        }
        try await note(id, before)
    }

    private struct State {
        var head: SyncSeq
        var members: Set<Role>
    }

    private func seen(_ id: String) async throws -> State {
        let callers = lobby.callers
        return try await store.base.read { transaction in
            let members = try callers.filter {
                try transaction.access(project: id, user: $0.value.userID)?.role != nil
            }
            return State(head: try transaction.project(id)?.head ?? .zero, members: Set(members.keys))
        }
    }

    /// Works out who may see something of what was written, by what a pull from before it has.
    private func note(_ id: String, _ before: State) async throws {
        let after = try await seen(id)
        guard after.head > before.head else { return }
        for role in Role.allCases {
            var sees = before.members.contains(role) && !after.members.contains(role)
            if after.members.contains(role) { sees = try await hasNews(id, role, since: before.head) }
            guard sees else { continue }
            sights[role]?.required[id] = before.head.rawValue + 1
            sights[role]?.allowed[id, default: []].formUnion((before.head.rawValue + 1)...after.head.rawValue)
        }
    }

    private func hasNews(_ id: String, _ role: Role, since: SyncSeq) async throws -> Bool {
        var request = PullRequest(project: id, since: since)
        while true {
            let page = try await projects[id]!.bench.pulls.page(request, for: lobby.caller(role))
            guard case .nothingYet(let cursor) = page.content else { return page.content != .nothing }
            request.cursor = cursor
        }
    }

    // MARK: Checking

    private func require(_ role: Role, _ head: Int64, _ step: Int) async throws {
        guard let stream = streams[role], let pull = pulls[role], let sights = sights[role] else { return }
        try await stream.read(until: Self.lobby, head)
        for (project, heads) in stream.poked where project != Self.lobby {
            for head in heads.subtracting(sights.allowed[project] ?? []).sorted() {
                faults.append("step \(step): \(role) was poked for \(project) \(head)")
            }
        }
        for (project, head) in sights.required where stream.heads[project] ?? 0 < head {
            faults.append("step \(step): \(role) was not poked for \(project) \(head)")
        }
        faults += stream.faults.map { "step \(step): \(role): \($0)" }
        guard faults.isEmpty else { return }
        await pull.wait(until: head)
        faults += pull.faults.map { "step \(step): \(role): \($0)" }
    }
}

/// What one user may see of the commits so far.
private struct Sights {
    /// By project: the last commit that the user must have been poked for.
    var required: [String: Int64] = [:]
    /// By project: all commits of which the user may see something.
    var allowed: [String: Set<Int64>] = [:]
}

extension Client {
    /// The same user at another server.
    fileprivate func at(_ server: TestServer) -> Client {
        var client = Client(server: server, project: project, token: token)
        client.syncsAll = syncsAll
        return client
    }
}
