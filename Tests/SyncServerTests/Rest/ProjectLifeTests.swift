import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A project from its creation to its deletion.
@Suite struct ProjectLifeTests {
    @Test func whoMakesAProjectOwnsItAndGetsACalendar() async throws {
        let scene = try await Scene()
        var viewer = try await scene.client(.viewer)
        let created = try await viewer.create("projects", ["name": "Mine", "start_date": "2026-01-05"])
        #expect(created.status == 201)
        viewer.project = try #require(created.at("/id")?.string)
        let calendars = try await viewer.list("calendars")
        #expect(calendars.at("/results/0/id") == created.at("/calendar"))
        #expect(try await viewer.list("memberships").at("/results/0/role") == 400)
        #expect(try await viewer.patch("projects", viewer.project, ["name": "Still mine"]).status == 200)
    }

    @Test func anArchivedProjectTakesNoWritesButOfItsMemberships() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let owner = try await scene.client(.owner)
        let archived = try await owner.send("POST", "/projects/p1/archive/")
        #expect(archived.status == 200 && archived.at("/is_archived") == true)
        for answer in [
            try await owner.create("tasks", ["name": "A"]), try await owner.patch("tasks", "t1", ["name": "A"]),
            try await owner.remove("tasks", "t1"), try await owner.patch("projects", "p1", ["name": "A"]),
            try await owner.upload(created: [["id": "t2", "name": "A"]]),
        ] { #expect(answer.status == 403 && answer.code == "project_archived") }
        #expect(try await owner.read("tasks", "t1").status == 200)
        #expect(try await owner.drain().row("projects", "p1")?["is_archived"] == true)
        let viewer = try await owner.membership(of: scene.userID(.viewer))
        #expect(try await owner.remove("memberships", viewer).status == 204)

        let open = try await owner.send("POST", "/projects/p1/unarchive/")
        #expect(open.at("/is_archived") == false)
        #expect(try await owner.patch("tasks", "t1", ["name": "A"]).status == 200)
    }

    @Test func archivingTwiceIsArchivingOnce() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        let first = try await owner.send("POST", "/projects/p1/archive/")
        let second = try await owner.send("POST", "/projects/p1/archive/")
        #expect(second.status == 200 && second.json == first.json)
    }

    @Test(arguments: [Role.admin, .scheduler, .member, .viewer])
    func onlyOwnersArchiveAndDelete(role: Role) async throws {
        let scene = try await Scene()
        let client = try await scene.client(role)
        for answer in [
            try await client.send("POST", "/projects/p1/archive/"), try await client.remove("projects", "p1"),
            try await client.send("POST", "/projects/p1/unarchive/"),
        ] { #expect(answer.status == 403 && answer.code == "forbidden") }
    }

    @Test(arguments: [false, true]) func aDeletedProjectTakesEverythingAlong(isArchived: Bool) async throws {
        let scene = try await Scene()
        try await scene.fill()
        if isArchived { try await scene.archive() }
        let owner = try await scene.client(.owner)
        let head = try await owner.head()
        #expect(try await owner.remove("projects", "p1").status == 204)
        for answer in [
            try await owner.page(), try await owner.upload(), try await owner.read("projects", "p1"),
            try await owner.list("tasks"), try await owner.send("POST", "/projects/p1/unarchive/"),
        ] { #expect(answer.status == 410 && answer.code == "project_deleted") }
        #expect(try await owner.read("tasks", "t1").status == 404)
        #expect(try await owner.send("GET", "/projects/").at("/results") == [])
        #expect(
            try await owner.create("projects", ["id": "p1", "name": "P", "start_date": "2026-01-05"]).status == 409)

        try await scene.bench.store.read { transaction in
            #expect(try transaction.project("p1")?.head.rawValue == head + 1)
            let counts = try transaction.counts(project: "p1")
            for collection in scene.registry.collections {
                #expect(try transaction.records(in: collection, project: "p1").isEmpty)
                #expect(counts[collection.name]?.live ?? 0 == 0, "\(collection.name)")
            }
            let task = try transaction.record(RowKey("tasks", "t1"))
            #expect(task?.isDeleted == true && task?.version.rawValue == 2 && task?.seq.rawValue == head + 1)
        }
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }
}
