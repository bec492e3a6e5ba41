import SyncEngine
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// How many writes a user may send over REST: `docs/protocol.md#items-every-collection-over-rest`.
@Suite struct WriteRateTests {
    private func scene(perProject: Int, perUser: Int) async throws -> Scene {
        var settings = SyncSettings()
        settings.writeRatePerProject = perProject
        settings.writeRatePerUser = perUser
        return try await Scene(settings: settings)
    }

    @Test func everyVerbCountsAndTheNextIsToldWhenToComeBack() async throws {
        let scene = try await scene(perProject: 4, perUser: 0)
        let owner = try await scene.client(.owner)
        #expect(try await owner.create("tasks", ["id": "t1", "name": "A"]).status == 201)
        #expect(try await owner.patch("tasks", "t1", ["name": "B"]).status == 200)
        #expect(try await owner.remove("tasks", "t1").status == 204)
        #expect(try await owner.send("POST", "/projects/p1/archive/").status == 200)
        let refused = try await owner.send("POST", "/projects/p1/unarchive/")
        #expect(refused.verdict == "429 rate_limited" && refused.header("Retry-After") == "15", "\(refused.text)")
        #expect(try await owner.read("projects", "p1").at("/is_archived") == true)
        scene.clock.advance(by: .seconds(15))
        #expect(try await owner.send("POST", "/projects/p1/unarchive/").status == 200)
    }

    @Test func aUserHasOneLimitOverAllProjectsAndOthersTheirOwn() async throws {
        let scene = try await scene(perProject: 1, perUser: 2)
        let owner = try await scene.client(.owner)
        let project: JSON = ["name": "P", "start_date": "2026-01-05"]
        #expect(try await owner.create("tasks", ["name": "A"]).status == 201)
        #expect(try await owner.create("tasks", ["name": "A"]).status == 429)
        #expect(try await owner.create("projects", project).status == 201)
        #expect(try await owner.create("projects", project).status == 429)
        #expect(try await scene.client(.member).create("tasks", ["name": "A"]).status == 201)
        let upload = try await owner.upload(created: [["id": "u", "name": "A"]])
        #expect(upload.status == 200, "uploads count by themselves")
    }

    @Test func whatIsRefusedBeforeItsFieldsCostsNothingAndAReplayNeither() async throws {
        let scene = try await scene(perProject: 1, perUser: 0)
        let (member, viewer) = (try await scene.client(.member), try await scene.client(.viewer))
        let key = ["Idempotency-Key": "k"]
        let first = try await member.create("tasks", ["name": "A"], headers: key)
        for _ in 0..<3 {
            #expect(try await member.patch("tasks", "none", ["name": "B"]).status == 404)
            #expect(try await member.create("tasks", ["name": "A"], headers: key).body == first.body)
            #expect(try await viewer.create("tasks", ["name": "A"]).verdict == "403 forbidden")
            #expect(try await viewer.list("tasks").status == 200)
        }
        #expect(try await member.create("tasks", ["name": 7]).status == 429)
    }

    @Test func aConsoleByHandStaysFarBelow() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        for count in 0..<120 {
            #expect(try await member.patch("tasks", "t1", ["name": .string("Name \(count)")]).status == 200)
        }
    }
}
