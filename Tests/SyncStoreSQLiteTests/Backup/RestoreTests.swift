import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A backup is restored while clients have rows that are newer
/// than it. No client may mistake the new history for the old one.
@Suite struct RestoreTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let bench: Workbench<SQLiteStore>

    init() async throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        try await insert(["t1", "t2", "t3"], bench)
    }

    private func insert(_ ids: [String], _ bench: Workbench<SQLiteStore>) async throws {
        for id in ids { try await bench.edit { try $0.insert("tasks", id, ["name": .string(id)]) } }
    }

    /// Restores the backup of this name as another file.
    private func restore(_ backup: String, as name: String, by opener: SQLiteStore.Opener) async throws
        -> Workbench<SQLiteStore>
    {
        try FileManager.default.copyItem(atPath: folder.path(backup), toPath: folder.path(name))
        let store = try SQLiteStore(path: folder.path(name), registry: registry, opener: opener, mender: DraftMender())
        #expect(store.jumpAtOpening != nil)
        return try await bench.moved(to: store)
    }

    private func backUp(to name: String = "b.db") throws {
        _ = try Backup(of: folder.path("t.db"), to: folder.path(name)).run()
    }

    private func head(_ bench: Workbench<SQLiteStore>) async throws -> SyncSeq {
        try await bench.store.read { try $0.project("p1")!.head }
    }

    private func floors(_ stores: [SQLiteStore]) async throws -> [SyncSeq] {
        var floors: [SyncSeq] = []
        for store in stores { floors.append(try await store.read { try $0.project("p1")!.floor }) }
        return floors
    }

    private func expectReplacement(
        _ client: inout DrainClient, of bench: Workbench<SQLiteStore>, resyncs: Int
    ) async throws {
        try await client.drain(from: bench, pageSize: 3)
        #expect(client.resyncs == resyncs)
        #expect(try await client.rows == bench.visibleRows(to: client.caller, as: .member))
    }

    @Test(arguments: [SQLiteStore.Opener.server, .restorer]) func whoeverRestoresABackupJumps(
        opener: SQLiteStore.Opener
    ) async throws {
        var client = DrainClient(bench.caller(.member))
        try backUp()
        try await insert(["lost"], bench)
        try await client.drain(from: bench, pageSize: 3)
        let last = try await head(bench)
        let restored = try await restore("b.db", as: "r.db", by: opener)
        #expect(try await head(restored) > last)
        try await insert(["found"], restored)
        try await expectReplacement(&client, of: restored, resyncs: 1)
        #expect(client.rows.keys.contains(RowKey("tasks", "found")))
        #expect(!client.rows.keys.contains(RowKey("tasks", "lost")))
        let again = try SQLiteStore(
            path: folder.path("r.db"), registry: registry, opener: .guest, mender: DraftMender())
        #expect(again.jumpAtOpening == nil)
    }

    /// Its numbers would be used again by the next restore of the same backup.
    @Test(arguments: [SQLiteStore.Opener.guest, .sole]) func whoeverWritesWithoutRestoringIsRefused(
        opener: SQLiteStore.Opener
    ) throws {
        try backUp()
        let before = try files()
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: folder.path("b.db"), registry: registry, opener: opener, mender: DraftMender())
        }
        #expect(error?.description.contains("waits for its restore") == true)
        #expect(error?.hint.contains("tidemark restored --database \(folder.path("b.db"))") == true)
        #expect(try files() == before)
    }

    /// Every file in the folder with its bytes, but for those of the database in use.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        return try Dictionary(
            uniqueKeysWithValues: names.filter { !$0.hasPrefix("t.db") }.map {
                ($0, try Data(contentsOf: URL(filePath: folder.path($0))))
            })
    }

    @Test func aBackupThatIsLookedAtStaysAsItIsAndCanBeRestored() async throws {
        try backUp()
        let before = try files()
        let path = folder.path("b.db")
        let store = try #require(try SQLiteStore(waitingForRestore: path))
        #expect(try await store.read { try $0.project("p1")?.head } == head(bench))
        #expect(try await store.read { try $0.record(RowKey("tasks", "t2")) } != nil)
        await #expect(throws: StoreError.self) { try await store.write { try $0.setSecret("x", "y") } }
        #expect(try files() == before)
        try store.close()
        #expect(try files() == before)
        #expect(try SQLiteStore(waitingForRestore: folder.path("t.db")) == nil)
        #expect(try SQLiteStore(waitingForRestore: folder.path("missing.db")) == nil)
        _ = try await restore("b.db", as: "r.db", by: .restorer)
        #expect(try SQLiteStore(waitingForRestore: folder.path("r.db")) == nil)
    }

    /// Somebody looks while the restore begins: each sees the file as before, or as after, and nothing fails.
    @Test func aBackupCanBeRestoredWhileItIsLookedAt() async throws {
        try backUp()
        let path = folder.path("b.db")
        let store = try #require(try SQLiteStore(waitingForRestore: path))
        #expect(try await store.read { try $0.project("p1") } != nil)
        let restored = try SQLiteStore(path: path, registry: registry, opener: .restorer, mender: DraftMender())
        #expect(restored.jumpAtOpening != nil)
        let floor = try await restored.read { try $0.project("p1")!.floor }
        #expect(try await [SyncSeq.zero, floor].contains(store.read { try $0.project("p1")!.floor }))
        try store.close()
    }

    @Test func aBackupOfAnOlderVersionIsNotTouchedByALook() throws {
        try backUp()
        let queue = try DatabaseQueue(path: folder.path("b.db"))
        try queue.write { try $0.execute(sql: "UPDATE tidemark_settings SET value = '6' WHERE name = 'layout'") }
        try queue.close()
        let before = try files()
        let error = #expect(throws: StoreError.self) { try SQLiteStore(waitingForRestore: folder.path("b.db")) }
        #expect(error?.description.contains("older version") == true)
        #expect(try files() == before)
    }

    @Test func aRestoredBackupOfARestoredDatabaseJumpsAgain() async throws {
        var client = DrainClient(bench.caller(.member))
        try backUp()
        try await client.drain(from: bench, pageSize: 3)
        let first = try await restore("b.db", as: "r1.db", by: .server)
        try await expectReplacement(&client, of: first, resyncs: 1)
        let last = try await head(first)
        _ = try Backup(of: folder.path("r1.db"), to: folder.path("b2.db")).run()
        let second = try await restore("b2.db", as: "r2.db", by: .server)
        #expect(try await head(second) > last)
        try await expectReplacement(&client, of: second, resyncs: 2)
    }

    @Test func anUnmarkedCopyJumpsOnDemandAndADrainInFlightBeginsAgain() async throws {
        var (client, starter) = (DrainClient(bench.caller(.member)), DrainClient(bench.caller(.member)))
        try await client.drain(from: bench, pageSize: 3)
        _ = try await starter.pull(from: bench, pageSize: 3)
        let jump = try await bench.store.jump()
        #expect(jump.distance % (1 << 32) == 0 && jump.distance > 0 && jump.projects == 1)
        #expect(try await !starter.pull(from: bench, pageSize: 3))
        #expect(!starter.isDraining)
        try await expectReplacement(&starter, of: bench, resyncs: 0)
        try await expectReplacement(&client, of: bench, resyncs: 1)
    }

    @Test func aPushWithANumberFromBeforeIsRefusedAndNothingApplied() async throws {
        let known = try await head(bench)
        try backUp()
        let restored = try await restore("b.db", as: "r.db", by: .server)
        let problem = await #expect(throws: Problem.self) {
            try await restored.upload(
                ["created": [["id": "x", "name": "X"]]], batch: "00000000-0000-4000-8000-000000000001",
                members: ["last_pulled_at": .int(known.rawValue)])
        }
        #expect(problem?.code == .sinceAhead)
        #expect(try await restored.store.read { try $0.record(RowKey("tasks", "x")) } == nil)
    }

    @Test func ofSeveralThatOpenABackupAtOnceOneJumps() async throws {
        try backUp()
        let path = folder.path("b.db")
        let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
            for opener in [SQLiteStore.Opener.restorer, .server, .restorer, .restorer] {
                group.addTask { try SQLiteStore(path: path, registry: registry, opener: opener, mender: DraftMender()) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let jumps = stores.compactMap(\.jumpAtOpening)
        #expect(jumps.count == 1)
        let floors = try await floors(stores)
        #expect(Set(floors).count == 1 && floors[0].rawValue > jumps[0].distance)
    }

    /// Its id was used in the lost history, and clients hold numbers of it.
    @Test func aProjectMadeAfterARestoreStartsBehindTheLostOne() async throws {
        try backUp()
        let fields: [String: JSON] = ["id": "p2", "name": "P", "start_date": "2026-01-05"]
        _ = try await bench.projects.create(fields, by: bench.caller(.owner))
        let restored = try await restore("b.db", as: "r.db", by: .server)
        _ = try await restored.projects.create(fields, by: bench.caller(.owner))
        for since in [SyncSeq(1), SyncSeq(1 << 31)] {
            let request = PullRequest(project: "p2", since: since, cursor: nil, pageSize: 10)
            let problem = await #expect(throws: Problem.self) {
                try await restored.pulls.page(request, for: bench.caller(.owner))
            }
            #expect(problem?.code == .sinceAhead)
        }
    }

    @Test func aBatchInTheBackupIsNotAppliedTwice() async throws {
        let (changes, batch): (JSON, String) = (
            ["created": [["id": "x", "name": "X"]]], "00000000-0000-4000-8000-000000000002"
        )
        _ = try await bench.upload(changes, batch: batch)
        try backUp()
        let restored = try await restore("b.db", as: "r.db", by: .server)
        #expect(try await restored.upload(changes, batch: batch).isReplay)
    }
}
