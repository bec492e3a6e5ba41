import NIOCore
import PostgreSQLTestKit
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Random writes, moves and changes of filter between the pages of several clients' drains. After a drain without
/// writes every replica equals the part that its user may see, and no id comes twice in a drain.
@Suite struct PartDrainTests {
    static let seeds: [UInt64] = (0..<12).map { 0xBEEF + $0 }
    /// Histories that have found planted mistakes that few find. After a change of what is drawn, others may.
    static let finders: [PlantedPartBug: UInt64] = [
        .ownRowsForgotten: 2, .clearNotNoted: 2, .idByTwoAlternatives: 2, .restampNotNoted: 3, .listNotNoted: 4,
        .upperSideForgotten: 4, .followerDoesNotLeave: 6, .hiddenRowTold: 7, .followerDoesNotCome: 7,
        .moveForgottenInARoll: 7, .secondLevelForgotten: 12, .editedAfterThePin: 13, .newParentNotNoted: 24,
    ]

    @Test(arguments: seeds) func sqliteReplicasEqualTheirParts(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let broken = try await PartHistory(Workbench(store, registry), seed: seed).run()
        #expect(broken == nil, "seed \(seed)")
    }

    @Test(arguments: seeds.prefix(3)) func postgreSQLReplicasEqualTheirParts(seed: UInt64) async throws {
        let (database, registry) = (try TestDatabase(), try Registry.builtIn())
        let store = try database.open(registry)
        defer { store.close() }
        let broken = try await PartHistory(Workbench(store, registry), seed: seed).run()
        #expect(broken == nil, "seed \(seed)")
    }

    @Test(arguments: seeds.prefix(6)) func modelReplicasEqualTheirParts(seed: UInt64) async throws {
        let registry = try Registry.builtIn()
        let broken = try await PartHistory(Workbench(ModelStore(registry: registry), registry), seed: seed).run()
        #expect(broken == nil, "seed \(seed)")
    }

    /// Both stores give the same pages, byte for byte but for cursors.
    @Test(arguments: [1, 2] as [UInt64]) func pagesOfBothStoresAreEqual(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let sqlite = try await Workbench(store, registry)
        let model = try await Workbench(ModelStore(registry: registry), registry)
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        var parts = RandomParts(registry, users: sqlite.callers.values.map(\.userID).sorted())
        for _ in 0..<80 {
            let write = random.oneIn(2) ? writes.next(&random) : parts.move(writes, &random)
            try await sqlite.perform(write)
            try await model.perform(write)
        }
        let state = try await sqlite.store.read { try $0.project("p1")! }
        for role in Role.allCases where writes.roles[role] != nil {
            for _ in 0..<20 {
                let since = random.pick([SyncSeq.zero, state.horizon, SyncSeq(state.head.rawValue / 2), state.head])!
                var request = PullRequest(project: "p1", since: since, pageSize: random.pick([1, 3, 40, 1000])!)
                let user = sqlite.caller(role).userID
                let reader = PartReader(registry: registry, user: user, parameter: "filter", allowsProjects: false)
                let before = parts.filter(writes, &random)
                let now = parts.filter(after: before, writes, &random)
                request.part = PartRequest(
                    try reader.part(now), was: random.oneIn(2) ? nil : try reader.part(before),
                    left: random.oneIn(3) ? .deleted : .left)
                request.encoding = random.pick(WireEncoding.allCases)!
                request.created = random.oneIn(2) ? .ofOthers : .none
                let pages = try await (
                    pages(request, sqlite.pulls, sqlite.caller(role)), pages(request, model.pulls, model.caller(role))
                )
                let difference = zip(pages.0, pages.1).first { $0 != $1 }.map { "\($0.text)\n\($1.text)" }
                #expect(
                    pages.0.count == pages.1.count && difference == nil,
                    "seed \(seed), \(role), since \(since), \(now) after \(request.part?.was == nil ? "same" : before)")
                let streamed = try await streamed(request, sqlite.pulls, sqlite.caller(role))
                #expect(streamed == joined(pages.0), "seed \(seed), \(role), \(request), \(now) after \(before)")
            }
        }
    }

    /// Each mistake is found by one of the histories.
    @Test(arguments: PlantedPartBug.allCases) func mistakesAreFound(bug: PlantedPartBug) async throws {
        let registry = try Registry.builtIn()
        for seed in [Self.finders[bug] ?? 0xBEEF] + (100..<160) {
            let store = PlantedStore(ModelStore(registry: registry), bug: bug)
            if try await PartHistory(Workbench(store, registry), seed: seed).run() != nil { return }
        }
        Issue.record("\(bug.rawValue) was not found")
    }

    private func pages<Store: SyncStore>(
        _ request: PullRequest, _ pulls: PullService<Store>, _ caller: Caller
    ) async throws -> [JSON] {
        var (request, pages) = (request, [JSON]())
        repeat {
            do {
                let page = try JSON(parsing: try await pulls.page(request, for: caller).body.readableBytesView)
                request.cursor = page["next_cursor"]?.string
                var members = page.object ?? [:]
                members["next_cursor"] = nil
                pages.append(.object(members))
            } catch let problem as Problem where problem.code == .sinceExpired {
                return [.string(problem.code.rawValue)]
            }
        } while request.cursor != nil && pages.count < 10_000
        return pages
    }

    /// The lists of all pages, by collection and name.
    private func joined(_ pages: [JSON]) -> [String: [JSON]] {
        pages.reduce(into: [:]) { lists, page in
            for (name, buckets) in page["changes"]?.object ?? [:] {
                for (bucket, rows) in buckets.object ?? [:] {
                    lists["\(name) \(bucket)", default: []] += rows.array ?? []
                }
            }
        }
    }

    private func streamed<Store: SyncStore>(
        _ request: PullRequest, _ pulls: PullService<Store>, _ caller: Caller
    ) async throws -> [String: [JSON]] {
        do {
            let stream = try await pulls.stream(request, for: caller)
            var document = stream.first
            var isLast = stream.isWhole
            while !isLast {
                let chunk = try await stream.next()
                document.writeImmutableBuffer(chunk.bytes)
                isLast = chunk.isLast
            }
            return joined([try JSON(parsing: document.readableBytesView)])
        } catch let problem as Problem where problem.code == .sinceExpired {
            return [:]
        }
    }
}

/// One random history of a project, with clients that hold parts of it.
struct PartHistory<Store: SyncStore> {
    private let bench: Workbench<Store>
    private let seed: UInt64

    init(_ bench: Workbench<Store>, seed: UInt64) {
        self.bench = bench
        self.seed = seed
    }

    /// What went wrong first; nil if nothing did.
    func run(steps: Int = 200) async throws -> String? {
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        var parts = RandomParts(bench.registry, users: bench.callers.values.map(\.userID).sorted())
        var clients = Role.allCases.map { DrainClient(bench.caller($0)) }
        for index in clients.indices {
            clients[index].splitsCreated = index.isMultiple(of: 2)
            clients[index].left = random.oneIn(4) ? .deleted : .left
        }
        do {
            for step in 0..<steps {
                // Nothing in a history waits, and other tests need the processors, too.
                await Task.yield()
                if random.oneIn(2) {
                    try await bench.perform(random.oneIn(2) ? writes.next(&random) : parts.move(writes, &random))
                }
                let index = random.below(clients.count)
                if random.oneIn(6) {
                    let former = clients[index].filter
                    clients[index].filter = random.oneIn(5) ? nil : parts.filter(after: former, writes, &random)
                }
                if random.oneIn(5), writes.roles[Role.allCases[index]] != nil {
                    try await send(parts.newTask(writes, &random), by: Role.allCases[index], step, &clients[index])
                }
                let pageSize = random.pick([1, 2, 3, 7, 50])!
                if random.oneIn(6) { clients[index].holdsWatermark.toggle() }
                _ = try await clients[index].pull(from: bench, pageSize: pageSize)
                guard step % 25 == 24 else { continue }
                for index in clients.indices {
                    let found = try await difference(&clients[index], Role.allCases[index], writes, pageSize)
                    if let found { return "step \(step): \(found)" }
                }
            }
        } catch let broken as DrainClient.BrokenPromise {
            return broken.description
        }
        return nil
    }

    /// The client keeps what it has sent, unless the server has refused to make the row.
    private func send(
        _ task: (id: String, row: JSON), by role: Role, _ step: Int, _ client: inout DrainClient
    ) async throws {
        let key = RowKey("tasks", task.id)
        let head = try await head()
        let batch = "00000000-0000-4000-9000-" + String(100_000_000_000 + step)
        do {
            _ = try await bench.upload(
                ["created": [task.row]], batch: batch, as: role, members: ["on_error": "reject_rows"])
        } catch is Problem {
            return
        }
        // Without a commit nothing is delivered: the server has the row just so.
        guard try await self.head() > head, try await bench.store.read({ try $0.record(key) }) != nil else { return }
        client.hold(key, task.row)
    }

    private func head() async throws -> SyncSeq { try await bench.store.read { try $0.project(bench.project)!.head } }

    /// Finishes the drain under way, then makes one with no write in between, and compares.
    private func difference(
        _ client: inout DrainClient, _ role: Role, _ writes: RandomWrites, _ pageSize: Int
    ) async throws -> String? {
        if client.isDraining { try await client.drain(from: bench, pageSize: pageSize) }
        try await client.drain(from: bench, pageSize: pageSize)
        // A drain that was cut is repeated before another filter is asked for.
        if client.mustRepeat || client.filter ?? "{}" != client.heldFilter {
            client.holdsWatermark = false
            try await client.drain(from: bench, pageSize: pageSize)
            try await client.drain(from: bench, pageSize: pageSize)
        }
        guard let present = writes.roles[role] else { return nil }
        let visible = try await bench.visibleRows(to: client.caller, as: present)
        let wanted = try NaivePart(client.filter ?? "{}", bench.registry, user: client.caller.userID).rows(of: visible)
        let missing = wanted.keys.filter { client.rows[$0] == nil }
        let extra = client.rows.keys.filter { wanted[$0] == nil }
        let stale = wanted.filter { client.rows[$0.key] != nil && client.rows[$0.key] != $0.value }.map(\.key)
        guard client.isConfirmed else { return "no digest, with \(client.filter ?? "no filter")" }
        guard missing.isEmpty, extra.isEmpty, stale.isEmpty else {
            func names(_ keys: [RowKey]) -> [String] { keys.map { "\($0.collection)/\($0.id)" }.sorted() }
            return "\(role) with \(client.filter ?? "no filter"): missing \(names(missing)), "
                + "extra \(names(extra)), stale \(names(stale))"
        }
        return nil
    }
}
