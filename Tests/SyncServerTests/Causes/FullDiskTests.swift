import Foundation
import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
@testable import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

#if PostgreSQL
    @testable import SyncStorePostgreSQL
#endif

/// A disk without room: what is written all the same, what is answered, and when it ends.
@Suite struct FullDiskTests {
    private let scene: Scene

    init() async throws { scene = try await Scene(accounts: Scene.unlimited) }

    /// Leaves the database no room for another page. PostgreSQL is only told that it has none.
    private func fill(_ engine: EngineStore) async throws {
        switch engine {
        case .sqlite(let store):
            try await store.pool.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count")!
                try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
        #if PostgreSQL
            case .postgreSQL(let store): store.failures.troubles.note(.diskFull)
        #endif
        }
    }

    private func makeRoom(_ engine: EngineStore) async throws {
        if case .sqlite(let store) = engine {
            try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        }
        await engine.recover()
    }

    /// A row that needs pages of its own.
    private let large: JSON = ["id": "large", "name": "L", "notes": .string(String(repeating: "x", count: 9000))]

    private func causes() async throws -> [JSON?] {
        try await scene.stranger.send("GET", "/ready").at("/causes")?.array?.map { $0["cause"] } ?? []
    }

    @Test func whoeverFindsTheDiskFullIsToldAndNothingIsApplied() async throws {
        let store = scene.bench.store
        let member = try await scene.client(.member)
        try await fill(store)
        let found = try await member.upload(created: [large])
        #expect(found.status == 503 && found.code == "disk_full" && found.header("Retry-After") == "30")
        #expect(try await causes() == ["disk_full"])
        // From now on it is said before anything is written, also to what would fit.
        let next = try await member.upload(created: [["id": "t1", "name": "A"]])
        #expect(next.status == 503 && next.code == "disk_full")
        #expect(try await member.send("GET", "/tasks/t1/").status == 404)
        #expect(try await member.page().status == 200)
        try await makeRoom(store)
        #expect(try await causes() == [])
        #expect(try await member.upload(created: [large]).status == 200)
    }

    @Test func aReplayIsAnsweredAndARowAtFaultIsJudged() async throws {
        let member = try await scene.client(.member)
        let batch = UUID().uuidString
        let first = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        try await fill(scene.bench.store)
        _ = try await member.upload(created: [large])
        let again = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        #expect(again.status == 200)
        #expect(again.json["timestamp"] == first.json["timestamp"] && again.header("Idempotent-Replayed") == "true")
        #expect(try await member.upload(updated: [["id": "t1", "name": 5]]).status == 400)
        #expect(try await member.send("PATCH", "/tasks/t1/", Data(#"{"name":"B"}"#.utf8)).code == "disk_full")
        #expect(try await member.send("DELETE", "/tasks/t1/").code == "disk_full")
    }

    @Test func peopleComeInAndAreLockedOut() async throws {
        let name = scene.bench.caller(.member).username.rawValue
        try await scene.bench.accounts.setPassword(Scene.password, of: name)
        let chief = try await scene.freshSuperuser("chief")
        let member = try await scene.client(.member)
        try await fill(scene.bench.store)
        _ = try await member.upload(created: [large])
        try #require(try await causes() == ["disk_full"])
        let pair = try await scene.stranger.logIn(name)
        #expect(pair.status == 200)
        let renewed = try await scene.stranger.refresh(pair.refresh)
        #expect(renewed.status == 200)
        #expect(try await scene.stranger.logOut(renewed.refresh).status < 300)
        #expect(try await scene.stranger.refresh(renewed.refresh).code == "invalid_refresh_token")
        let (id, viewer) = (scene.bench.caller(.member).userID, scene.bench.caller(.viewer).userID)
        #expect(try await chief.send("DELETE", "/admin/users/\(id)/credentials/").status < 300)
        #expect(try await member.page().status == 401)
        #expect(try await chief.send("POST", "/admin/users/", data(["username": "newcomer"])).code == "disk_full")
        let disabled = try await chief.send("PATCH", "/admin/users/\(viewer)/", data(["is_disabled": true]))
        #expect(disabled.status == 200)
        let enabled = try await chief.send("PATCH", "/admin/users/\(viewer)/", data(["is_disabled": false]))
        #expect(enabled.code == "disk_full")
    }

    private func data(_ json: JSON) -> Data { Data(json.bytes) }

    @Test func oldTombstonesArePurged() async throws {
        let member = try await scene.client(.admin)
        try await scene.insertTasks(["t1", "t2"])
        #expect(try await member.upload(deleted: ["t1"]).status == 200)
        scene.clock.advance(by: .seconds(100 * 86_400))
        try await fill(scene.bench.store)
        _ = try await member.upload(created: [large])
        let purge = PurgeService(
            store: scene.bench.store, registry: scene.registry, clock: scene.clock.wallClock)
        #expect(try await purge.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
    }

    @Test func filesAreRefusedAndNothingOfThemIsKept() async throws {
        let member = try await scene.client(.member)
        try await fill(scene.bench.store)
        _ = try await member.upload(created: [large])
        let sent = try await member.send(TestFile("one"))
        #expect(sent.status == 503 && sent.code == "disk_full")
        #expect(try scene.filesOnDisk() == [])
        try await makeRoom(scene.bench.store)
        #expect(try await member.send(TestFile("one")).status == 201)
    }
}
