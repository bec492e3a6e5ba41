import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `GET /sync/`: all projects of a user in one drain.
@Suite struct UserPullTests {
    private static let limit = Int64(1) << 52

    private func scene() async throws -> (Scene, Workbench<EngineStore>, foreign: Workbench<EngineStore>) {
        try await Scene.ofSeveralProjects()
    }

    /// The members of the last page.
    private func end(_ client: Client, since: Int64) async throws -> JSON {
        try await client.page(["since": String(since), "page_size": "5000"]).json
    }

    @Test func aDrainHasTheRowsOfAllProjectsAndNamesTheirProjects() async throws {
        let (scene, _, _) = try await scene()
        let drain = try await scene.client(.member).ofAllProjects.drain(pageSize: 7)
        #expect(drain.ids("projects") == ["p1", "p2"])
        #expect(drain.row("tasks", "t1")?["project_id"] == "p1" && drain.row("tasks", "t2")?["project_id"] == "p2")
        #expect(drain.row("projects", "p2")?["project_id"] == "p2")
        #expect(drain.timestamp > Self.limit)
    }

    @Test func theEndHasHeadsAndDigestsOfTheProjectsThatChanged() async throws {
        let (scene, other, _) = try await scene()
        let client = try await scene.client(.member)
        let all = client.ofAllProjects
        let first = try await end(all, since: 0)
        #expect(Set(first["heads"]?.object?.keys.map { $0 } ?? []) == ["p1", "p2"])
        #expect(first["left_projects"] == [] && first["replaced"] == nil)
        let single = try await client.page().json
        #expect(first["heads"]?["p1"] == single["timestamp"] && first["digest"]?["p1"] == single["digest"])
        #expect(first["progress"]?["total"] == first["progress"]?["rows"])
        try await other.edit { try $0.update("tasks", "t2", ["name": "Changed"]) }
        let second = try await end(all, since: first["timestamp"]?.int ?? 0)
        #expect(second["heads"] == .object(["p2": .int(try await other.head())]))
        #expect(second["digest"]?.object?.keys.map { $0 } == ["p2"])
        #expect(second["progress"]?["total"] == .null)
        let digests = try await all.send("GET", "/api/v1/sync/digest/").json
        #expect(digests["digest"]?["p2"] == second["digest"]?["p2"] && digests["digest"]?["p1"] == single["digest"])
        #expect(digests["timestamp"] == second["timestamp"])
    }

    /// The watermark says nothing of what others do, and an empty delta needs no project.
    @Test func theTimestampStandsStillWhileTheUsersProjectsDo() async throws {
        let (scene, other, foreign) = try await scene()
        let all = try await scene.client(.viewer).ofAllProjects
        let first = try await all.page()
        let since = first.json["timestamp"]?.int ?? 0
        #expect(first.header("Tidemark-Head") == String(since))
        for number in 0..<3 {
            try await foreign.edit { try $0.insert("tasks", "f\(number)", ["name": "F"]) }
            let page = try await all.page(["since": String(since)])
            #expect(page.json["timestamp"]?.int == since && page.json["progress"]?["rows"] == 0)
            #expect(page.header("Tidemark-Head") == String(since))
        }
        try await other.edit { try $0.insert("tasks", "t3", ["name": "Three"]) }
        let drain = try await all.drain(since: since)
        #expect(drain.rows.keys.map(\.id) == ["t3"] && drain.timestamp > since)
    }

    @Test func aWatermarkOfAProjectOrOfTheFutureIsRefused() async throws {
        let (scene, _, _) = try await scene()
        let client = try await scene.client(.member)
        let all = client.ofAllProjects
        let newest = try await all.drain().timestamp
        for since in [1, Self.limit, newest + 1] {
            let answer = try await all.page(["since": String(since)])
            #expect(answer.status == 409 && answer.json["code"] == "since_ahead", "\(since): \(answer.text)")
        }
        let answer = try await client.page(["since": String(newest)])
        #expect(answer.status == 409 && answer.json["code"] == "since_ahead")
        #expect(try await all.page(["since": "x"]).json["code"] == "invalid_since")
    }

    @Test func aListOfProjectsIsServedAlone() async throws {
        let (scene, other, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let page = try await all.page(["projects": "p2"])
        #expect(page.json["changes"]?["projects"]?["updated"]?.array?.count == 1)
        try await other.edit { try $0.insert("tasks", "t3", ["name": "Three"]) }
        let since = page.json["timestamp"]?.int ?? 0
        let next = try await all.page(["projects": "p2", "since": String(since)])
        #expect(next.json["changes"]?["tasks"]?["updated"]?.array?.count == 1)
        for list in ["p9", "p2,nope", "p2,", "a b"] {
            let answer = try await all.page(["projects": list])
            #expect(answer.status == 404 && answer.json["code"] == "not_found", "\(list)")
        }
    }

    @Test func smallProjectsShareAPage() async throws {
        let scene = try await Scene()
        for number in 2...50 {
            let bench = try await scene.bench.another("p\(number)")
            try await bench.edit { editor in
                for task in 0..<20 { try editor.insert("tasks", "p\(number)-t\(task)", ["name": "T"]) }
            }
        }
        let drain = try await scene.client(.member).ofAllProjects.drain()
        #expect(drain.ids("tasks").count == 49 * 20 && drain.ids("projects").count == 50)
        #expect(drain.pageCounts.count == 2, "\(drain.pageCounts)")
    }

    /// A JSON key that came twice would lose rows.
    @Test(arguments: ["page", "stream"]) func eachCollectionHasItsKeyOnce(form: String) async throws {
        let (scene, _, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let text = try await all.page(form == "stream" ? ["stream": "true"] : [:], unpacks: true).text
        for collection in scene.registry.collections {
            #expect(text.ranges(of: "\"\(collection.name)\":{\"updated\"").count == 1, "\(collection.name)")
        }
    }

    @Test func aCursorIsGoodForADay() async throws {
        let (scene, _, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let cursor = try await all.page(["page_size": "3"]).json["next_cursor"]?.string ?? ""
        scene.clock.advance(by: .seconds(23 * 3600))
        #expect(try await all.page(["page_size": "3", "cursor": cursor]).status == 200)
        scene.clock.advance(by: .seconds(3 * 3600))
        let late = try await all.page(["page_size": "3", "cursor": cursor])
        #expect(late.status == 400 && late.json["code"] == "invalid_cursor")
    }

    /// The number of other people's rows is nobody's business.
    @Test func theTotalLeavesOutWhatTheCallerMayNotSee() async throws {
        let (scene, _, _) = try await scene()
        try await scene.bench.edit(as: .member) { editor in
            try editor.insert("time_entries", "e", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
            try editor.insert("sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("sprint_retros", "r", ["sprint": "s", "team_visibility": "team_only"])
        }
        let viewer = try await scene.client(.viewer).ofAllProjects
        for list in ["time_entries", "sprint_retros"] {
            #expect(try await viewer.page(["collections": list]).at("/progress/total") == 0, "\(list)")
        }
    }

    @Test func aSuperuserSyncsTheirMembershipsOnly() async throws {
        let (scene, _, _) = try await scene()
        let root = try await scene.bench.accounts.addUser("root", isSuperuser: true)
        let client = try await scene.client(named: "root").ofAllProjects
        #expect(try await client.drain().rows.isEmpty)
        #expect(try await client.page(["projects": "p1"]).status == 404)
        try await scene.bench.members.addMember(root.username.rawValue, to: "p1", as: .viewer)
        try await scene.bench.edit { editor in
            try editor.insert("sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("sprint_retros", "r", ["sprint": "s", "team_visibility": "team_only"])
        }
        let drain = try await client.drain()
        #expect(drain.ids("projects") == ["p1"] && drain.ids("sprint_retros") == ["r"])
    }

    @Test func aMigrationLooksAtTheNamedProjects() async throws {
        let (scene, _, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = String(try await all.drain().timestamp)
        func tasks(_ migration: String) async throws -> [String?] {
            let page = try await all.page(["since": since, "migration": migration]).json
            return (page["changes"]?["tasks"]?["updated"]?.array ?? []).map { $0["id"]?.string }
        }
        #expect(try await tasks(#"{"tables":["tasks"]}"#) == ["t1", "t2"])
        #expect(try await tasks(#"{"tables":["tasks"],"projects":["p2"]}"#) == ["t2"])
        #expect(try await tasks(#"{"tables":["risks"]}"#) == [])
        // An app that begins to keep all projects in one database adds this column.
        #expect(try await tasks(#"{"columns":[{"table":"tasks","columns":["project_id"]}]}"#) == ["t1", "t2"])
    }
}

extension Workbench {
    fileprivate func head() async throws -> Int64 { try await store.read { try $0.project(project)!.head.rawValue } }
}

extension Scene {
    /// A scene with the projects `p1` and `p2` of the same users, and `p9` of others.
    static func ofSeveralProjects() async throws -> (
        Scene, Workbench<EngineStore>, foreign: Workbench<EngineStore>
    ) {
        let scene = try await Scene()
        let other = try await scene.bench.another("p2")
        try await scene.bench.edit { try $0.insert("tasks", "t1", ["name": "One"]) }
        try await other.edit { try $0.insert("tasks", "t2", ["name": "Two"]) }
        return (scene, other, try await scene.otherProject("p9"))
    }
}
