import SyncEngine
import SyncProtocol
@testable import SyncServer
import SyncStore
import SyncStores
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Watermarks from before a purge, as clients experience them.
@Suite struct HorizonTests {
    /// Tasks `t1` to `t9`, of which `t1` was deleted and purged; the watermark before that and the one after.
    private func purged() async throws -> (scene: Scene, before: Int64, horizon: Int64) {
        let scene = try await Scene()
        try await scene.insertTasks((1...9).map { "t\($0)" })
        try await scene.bench.edit { try $0.update("tasks", "t1", ["name": "Edited"]) }
        let before = try await scene.client(.viewer).head()
        try await scene.bench.edit { try $0.delete("tasks", "t1") }
        try await scene.bench.purge()
        return (scene, before, try await scene.client(.viewer).head())
    }

    @Test func aWatermarkBelowTheHorizonHasExpired() async throws {
        let (scene, before, _) = try await purged()
        let answer = try await scene.client(.viewer).page(["since": String(before)])
        #expect(answer.status == 410 && answer.code == "since_expired")
    }

    @Test func aWatermarkAtTheHorizonIsServed() async throws {
        let (scene, _, horizon) = try await purged()
        let drain = try await scene.client(.viewer).drain(since: horizon)
        #expect(drain.timestamp == horizon && drain.rows.isEmpty && drain.deleted.isEmpty)
    }

    @Test func aPushFromBelowTheHorizonIsRefusedAndRevivesNothing() async throws {
        let (scene, before, horizon) = try await purged()
        let member = try await scene.client(.member)
        let row: JSON = ["id": "t1", "name": "Back"]
        let answer = try await member.upload(updated: [row], members: ["last_pulled_at": .int(before)])
        #expect(answer.status == 410 && answer.code == "since_expired")
        #expect(try await member.head() == horizon)
        #expect(try await member.task("t1") == nil)
    }

    @Test func aPurgedIDCanBeUsedForANewRow() async throws {
        let (scene, _, horizon) = try await purged()
        let member = try await scene.client(.member)
        #expect(try await member.upload(created: [["id": "t1", "name": "New"]]).status == 200)
        let row = try await member.drain(since: horizon).row("tasks", "t1")
        #expect(row?["name"] == "New" && row?["server_version"] == 1)
        #expect(try await member.patch("tasks", "t1", ["name": "Newer"]).status == 200, "its history begins anew")
    }

    @Test func aNewRowUnderAPurgedIDHasAHistoryOfItsOwn() async throws {
        let scene = try await Scene()
        let (member, other) = (try await scene.client(.member), try await scene.client(.admin))
        for name in ["First", "Second"] {
            try await member.upload(created: [["id": "t1", "name": .string(name), "notes": ""]])
            for change in ["a", "b"] {
                #expect(try await member.upload(updated: [["id": "t1", "name": .string(name + change)]]).status == 200)
            }
            guard name == "First" else { break }
            try await member.upload(deleted: ["t1"])
            try await scene.bench.purge()
        }
        let answer = try await other.upload(
            updated: [["id": "t1", "notes": "N", "base_version": 2, "_changed": "notes"]],
            members: ["on_conflict": "merge"])
        #expect(answer.status == 200 && answer.at("/conflicts") == [:])
        let row = try await member.task("t1")
        #expect(row?["name"] == "Secondb" && row?["notes"] == "N" && row?["server_version"] == 4)
    }

    @Test func aDeltaInFlightExpiresWithAPurge() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let viewer = try await scene.client(.viewer)
        let since = try await viewer.head()
        try await scene.insertTasks(["t3", "t4"])
        try await scene.bench.edit { try $0.delete("tasks", "t1") }
        let page = try await viewer.page(["since": String(since), "page_size": "1"])
        let cursor = try #require(page.at("/next_cursor")?.string)
        try await scene.bench.purge()
        let next = try await viewer.page(["since": String(since), "page_size": "1", "cursor": cursor])
        #expect(next.status == 410 && next.code == "since_expired")
    }

    /// The drain names everything that is live; the client drops the rest.
    @Test func aDrainFromZeroInFlightEndsAndTheNextOneExpires() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((1...6).map { "t\($0)" })
        let viewer = try await scene.client(.viewer)
        let drain = try await viewer.drain(pageSize: 4) { page in
            guard page == 1 else { return }
            try await scene.bench.edit { try $0.delete("tasks", "t6") }
            try await scene.bench.purge()
        }
        #expect(drain.ids("tasks") == ["t1", "t2", "t3", "t4", "t5"])
        #expect(try await viewer.page(["since": String(drain.timestamp)]).code == "since_expired")
    }

    @Test func theServerPurgesAgainAndAgainByItself() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let service = PurgeService(store: scene.bench.store, registry: scene.registry, clock: scene.clock.wallClock)
        let traces = RecordPurge(
            store: scene.bench.store, clock: scene.clock.wallClock,
            retention: UploadRetention(batches: .seconds(60), history: .seconds(60), inbox: .seconds(60)))
        let loop = HourlyPurge(
            scene.bench.store, tombstones: service, retention: .seconds(86_400), traces: traces, logger: .silent
        ) {
            let state = try await scene.bench.store.read { transaction in
                (try transaction.project("p1")!.horizon, try transaction.record(RowKey("tasks", "t1")))
            }
            switch state {
            case (.zero, let row?) where !row.isDeleted: try await scene.bench.edit { try $0.delete("tasks", "t1") }
            case (.zero, _): scene.clock.advance(by: .seconds(2 * 86_400))
            default: throw CancellationError()
            }
        }
        try await loop.run()
        #expect(try await scene.bench.store.read { try $0.record(RowKey("tasks", "t1")) } == nil)
    }

    /// Another server on the database purges.
    @Test func aServerLeavesThePurgeToAnother() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        try await scene.bench.edit { try $0.delete("tasks", "t1") }
        scene.clock.advance(by: .seconds(2 * 86_400))
        let (store, clock) = (OccupiedStore(base: scene.bench.store), scene.clock.wallClock)
        let traces = RecordPurge(
            store: store, clock: clock,
            retention: UploadRetention(batches: .seconds(60), history: .seconds(60), inbox: .seconds(60)))
        let loop = HourlyPurge(
            store, tombstones: PurgeService(store: store, registry: scene.registry, clock: clock),
            retention: .seconds(60), traces: traces,
            logger: .silent
        ) { throw CancellationError() }
        try await loop.run()
        #expect(try await scene.bench.store.read { try $0.record(RowKey("tasks", "t1")) } != nil)
    }
}

/// A store whose jobs another server does.
private struct OccupiedStore: WrappingStore {
    let base: EngineStore

    func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool { false }

    func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await base.write(scope, priority: priority, needing: needs, body) }
}
