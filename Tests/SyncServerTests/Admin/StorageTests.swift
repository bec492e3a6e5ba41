import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `/admin/storage/`.
@Suite struct StorageTests {
    private let scene: Scene
    private let root: Client

    init() async throws {
        scene = try await Scene()
        root = try await scene.superuser()
    }

    private func project(_ id: String = "p1") async throws -> JSON {
        let answer = try await root.send("GET", "/admin/storage/projects/").json
        return answer["results"]?.array?.first { $0["project_id"] == .string(id) } ?? .null
    }

    @Test(arguments: ["/admin/storage/", "/admin/storage/projects/"])
    func onlySuperusersRead(path: String) async throws {
        for (who, client) in try await scene.cast() {
            let answer = try await client.send("GET", path)
            let expected = who == .superuser ? 200 : who == .anonymous ? 401 : 403
            #expect(answer.status == expected, "\(who)")
        }
    }

    @Test func theInstallationsFiguresAreThoseOfAllProjects() async throws {
        let before = try await root.send("GET", "/admin/storage/").json
        _ = try await scene.otherProject()
        try await scene.insertTasks(["t1", "t2", "t3"])
        try await scene.bench.edit { try $0.delete("tasks", "t3") }
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "name": "New"]])
        try await member.upload(created: [["id": "bad", "name": 7]], members: ["on_error": "reject_rows"])
        let after = try await root.send("GET", "/admin/storage/").json
        let summaries = try await scene.bench.projects.summaries()
        #expect(after["rows"]?.int == summaries.reduce(0) { $0 + Int64($1.rows) })
        #expect(after["tombstones"] == 1 && after["inbox"] == 1)
        #expect(after["answers"]!.int! == before["answers"]!.int! + 2)
        // An edit and a delete.
        #expect(after["history"]!.int! == before["history"]!.int! + 2)
        #expect(after["bytes"]!.int! > 100_000)
        #expect(after["wal_bytes"]?.int == nil || TestEngine.isSQLite)
        #expect((after["free_bytes"]?.int ?? 0) > 0 || !TestEngine.isSQLite)
        #expect(after["database"]?.string == scene.bench.store.metrics.engine)
        #expect(after.at("/backups/folder") == .null && after.at("/backups/hint")?.string?.isEmpty == false)
    }

    @Test func aProjectsFiguresAreItsOwn() async throws {
        _ = try await scene.otherProject()
        let start = try await project()
        try await scene.insertTasks(["t1", "t2", "t3"])
        try await scene.bench.edit { try $0.delete("tasks", "t3") }
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "bad", "name": 7]], members: ["on_error": "reject_rows"])
        let end = try await project()
        #expect(end.at("/collections/tasks") == ["rows": 2, "tombstones": 1])
        #expect(end["rows"]!.int! == start["rows"]!.int! + 2 && end["tombstones"] == 1)
        #expect(end["rejected"] == 1 && end["answers"]!.int! == start["answers"]!.int! + 1)
        #expect(end["project_name"] == "Test" && end["is_archived"] == false && end["is_deleted"] == false)
        #expect(end["digests"]!.int! > 0)
        let other = try await project("p2")
        #expect(other["rejected"] == 0 && other.at("/collections/tasks") == nil)
    }

    @Test func theGrowthIsThatOfTheLastSevenDays() async throws {
        try await scene.insertTasks(["t1", "t2"])
        let edit = { (at: Duration, body: @escaping @Sendable (RowEditor) throws -> Void) in
            let (bench, author) = (scene.bench, scene.bench.caller(.owner).userID)
            let now = Workbench<ModelStore>.noon.advanced(by: at)
            try await bench.store.write(.project("p1")) { transaction in
                let draft = Draft(transaction, bench.registry, project: "p1", author: author, now: now)
                try body(RowEditor(draft: draft))
                _ = try draft.commit()
            }
        }
        try await edit(.seconds(86_400)) { try $0.insert("tasks", "t3", ["name": "T"]) }
        try await edit(.seconds(2 * 86_400)) { try $0.delete("tasks", "t1") }
        let all = try await project()
        #expect(all.at("/grown/days") == 7 && all.at("/grown/rows") == all["rows"])
        #expect(all.at("/grown/tombstones") == 1)
        // Now the first day is over.
        scene.clock.advance(by: .seconds(7 * 86_400 + 3600))
        #expect(try await project()["grown"] == ["days": 7, "rows": 1, "tombstones": 1, "commits": 2])
        scene.clock.advance(by: .seconds(86_400))
        #expect(try await project()["grown"] == ["days": 7, "rows": 0, "tombstones": 1, "commits": 1])
        scene.clock.advance(by: .seconds(86_400))
        #expect(try await project()["grown"] == ["days": 7, "rows": 0, "tombstones": 0, "commits": 0])
    }

    @Test func projectsArePagedByIDAndDeletedOnesAreListed() async throws {
        for id in ["p2", "p3", "p4"] { _ = try await scene.bench.another(id) }
        _ = try await scene.client(.owner).send("DELETE", "/projects/p3/")
        var (ids, after) = ([String](), "")
        repeat {
            let page = try await root.send("GET", "/admin/storage/projects/?limit=3\(after)").json
            ids += page["results"]?.array?.compactMap { $0["project_id"]?.string } ?? []
            after = page["next"]?.string.map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(ids == ["p1", "p2", "p3", "p4"])
        #expect(try await project("p3")["is_deleted"] == true)
        #expect(try await root.send("GET", "/admin/storage/projects/?limit=0").code == "invalid_parameter")
    }
}
