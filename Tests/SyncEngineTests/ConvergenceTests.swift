import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Random writes between the pages of several clients' drains. After a drain without writes every replica equals what
/// its user may see. No id comes twice in a drain, `timestamp` stays the same, and no page is too large.
@Suite struct ConvergenceTests {
    static let seeds: [UInt64] = (0..<12).map { 0xC0FFEE + $0 }

    @Test(arguments: seeds) func sqliteReplicasEqualTheVisibleState(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        try await converge(Workbench(store, registry), seed: seed)
    }

    @Test(arguments: seeds) func modelReplicasEqualTheVisibleState(seed: UInt64) async throws {
        let registry = try Registry.builtIn()
        try await converge(Workbench(ModelStore(registry: registry), registry), seed: seed)
    }

    /// At random steps a backup replaces the database, opened by a server or a command. Only backups of the present
    /// history are used, because one of an earlier history would get the present history's numbers once in 4096 times.
    @Test(arguments: seeds.prefix(6)) func aRestoreAnywhereIsAReplacement(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        var path = folder.path("t.db")
        var bench = try await Workbench(
            SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()), registry)
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        var backups: [(path: String, writes: RandomWrites)] = []
        var clients = Role.allCases.map { DrainClient(bench.caller($0)) }
        for step in 0..<120 {
            try await bench.perform(writes.next(&random))
            let index = random.below(clients.count)
            _ = try await clients[index].pull(from: bench, pageSize: random.pick([1, 7, 50])!)
            if random.oneIn(15) {
                backups.append((folder.path("b\(step).db"), writes))
                _ = try Backup(of: path, to: backups.last!.path).run()
            } else if random.oneIn(30), !backups.isEmpty {
                (path, writes) = random.pick(backups)!
                backups = []
                let opener = random.pick([SQLiteStore.Opener.server, .restorer])!
                bench = try await bench.moved(
                    to: SQLiteStore(path: path, registry: registry, opener: opener, mender: DraftMender()))
            }
        }
        for index in clients.indices {
            try await settle(&clients[index], Role.allCases[index], bench, writes, 7)
        }
        let broken = try await bench.brokenInvariants()
        #expect(broken == [], "seed \(seed)")
    }

    private func converge<Store: SyncStore>(_ bench: Workbench<Store>, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        var clients = Role.allCases.map { DrainClient(bench.caller($0)) }
        for index in clients.indices {
            clients[index].splitsCreated = index.isMultiple(of: 2)
            clients[index].keepsLostRows = seed.isMultiple(of: 2)
        }
        do {
            for step in 0..<150 {
                if random.oneIn(2) {
                    try await bench.perform(writes.next(&random))
                    let broken = try await bench.brokenDigests()
                    #expect(broken == [], "seed \(seed), step \(step)")
                }
                let index = random.below(clients.count)
                let pageSize = random.pick([1, 2, 3, 7, 50])!
                if random.oneIn(4) { clients[index].holdsWatermark.toggle() }
                _ = try await clients[index].pull(from: bench, pageSize: pageSize)
                guard step % 30 == 29 else { continue }
                for index in clients.indices {
                    try await settle(&clients[index], Role.allCases[index], bench, writes, pageSize)
                }
            }
            let broken = try await bench.brokenInvariants()
            #expect(broken == [], "seed \(seed)")
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }

    /// Finishes the drain under way, then makes one with no write in between.
    private func settle<Store: SyncStore>(
        _ client: inout DrainClient, _ role: Role, _ bench: Workbench<Store>, _ writes: RandomWrites, _ pageSize: Int
    ) async throws {
        if client.isDraining { try await client.drain(from: bench, pageSize: pageSize) }
        try await client.drain(from: bench, pageSize: pageSize)
        guard writes.roles[role] != nil || !client.keepsLostRows else { return }
        let visible =
            if let present = writes.roles[role] {
                try await bench.visibleRows(to: client.caller, as: present)
            } else {
                [RowKey: JSON]()
            }
        let (missing, extra) = (
            visible.filter { client.rows[$0.key] == nil }, client.rows.filter { visible[$0.key] == nil }
        )
        #expect(missing.isEmpty && extra.isEmpty, "\(role)")
        #expect(client.rows == visible, "\(role)")
        #expect(client.isConfirmed == (writes.roles[role] != nil), "\(role)")
    }
}

/// After the same writes, the SQLite store and the model give the same bytes on every page.
@Suite struct TwinTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func pagesOfBothStoresAreEqual(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let (sqlite, model) = try await twins(in: folder)
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        var clients = Role.allCases.map { (DrainClient(sqlite.caller($0)), DrainClient(model.caller($0))) }
        for _ in 0..<60 {
            let write = writes.next(&random)
            try await sqlite.perform(write)
            try await model.perform(write)
            let index = random.below(clients.count)
            let pageSize = random.pick([1, 3, 40])!
            try await clients[index].0.drain(from: sqlite, pageSize: pageSize)
            try await clients[index].1.drain(from: model, pageSize: pageSize)
            #expect(clients[index].0.rows == clients[index].1.rows, "seed \(seed)")
            #expect(clients[index].0.since == clients[index].1.since, "seed \(seed)")
            let isMember = writes.roles[Role.allCases[index]] != nil
            #expect(clients[index].0.isConfirmed == isMember && clients[index].1.isConfirmed == isMember)
        }
        #expect(try await sqlite.brokenInvariants() == [], "seed \(seed)")
        #expect(try await model.brokenInvariants() == [], "seed \(seed)")
    }

    private func twins(in folder: TemporaryFolder) async throws -> (Workbench<SQLiteStore>, Workbench<ModelStore>) {
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        return (
            try await Workbench(store, registry), try await Workbench(ModelStore(registry: registry), registry)
        )
    }

    /// Every form of a pull, page by page, compared with the model.
    @Test(arguments: [5, 6, 7] as [UInt64]) func everyFormOfAPullIsServedAlike(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let (sqlite, model) = try await twins(in: folder)
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        for _ in 0..<60 {
            let write = writes.next(&random)
            try await sqlite.perform(write)
            try await model.perform(write)
        }
        let state = try await sqlite.store.read { try $0.project("p1")! }
        let watermarks = [SyncSeq.zero, state.horizon, SyncSeq(state.head.rawValue / 2), state.head]
        for role in Role.allCases where writes.roles[role] != nil {
            for _ in 0..<12 {
                var request = PullRequest(project: "p1", since: random.pick(watermarks)!)
                request.pageSize = random.pick([1, 3, 40, 1000])!
                request.encoding = random.pick(WireEncoding.allCases)!
                request.created = random.oneIn(2) ? .ofOthers : .none
                request.migration = try random.pick(Self.migrations).flatMap {
                    try PullMigration(parsing: $0, registry: sqlite.registry)
                }
                let pages = try await (
                    answers(request, sqlite.pulls, sqlite.caller(role)),
                    answers(request, model.pulls, model.caller(role))
                )
                #expect(pages.0 == pages.1, "seed \(seed), \(role), \(request)")
            }
        }
    }

    private static let migrations = [
        "null", #"{"tables":["tasks","sprint_retros","time_entries"]}"#,
        #"{"from":1,"tables":["risks"],"columns":[{"table":"tasks","columns":["percent_complete","parent"]},"#
            + #"{"table":"sprint_retros","columns":["team_visibility","notes"]},"#
            + #"{"table":"task_links","columns":["labels"]}]}"#,
    ]

    /// The pages, or the reason why they were refused.
    private func answers<Store: SyncStore>(
        _ request: PullRequest, _ pulls: PullService<Store>, _ caller: Caller
    ) async throws -> [JSON] {
        do {
            return try await changes(request, pulls, caller)
        } catch let problem as Problem where problem.code == .sinceExpired {
            return [.string(problem.code.rawValue)]
        }
    }

    /// All pages without their cursors, which depend on the store's secret.
    private func changes<Store: SyncStore>(
        _ request: PullRequest, _ pulls: PullService<Store>, _ caller: Caller
    ) async throws -> [JSON] {
        var (request, pages) = (request, [JSON]())
        repeat {
            let page = try JSON(parsing: try await pulls.page(request, for: caller).body.readableBytesView)
            request.cursor = page["next_cursor"]?.string
            var members = page.object ?? [:]
            members["next_cursor"] = nil
            pages.append(.object(members))
        } while request.cursor != nil && pages.count < 10_000
        return pages
    }
}
