import SyncProtocol
import SyncTestKit
import Testing

/// Rows of others that a delete takes along although its author can't see them; what a delete says before:
/// `docs/protocol.md#deletes`.
@Suite struct TakenRowTests {
    /// The member and the admin have each logged time on tasks of one tree.
    private func scene() async throws -> Scene {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "other"])
        try await scene.insertTasks(["child"], ["parent": "t1"])
        for (role, id, task) in [(Role.member, "m1", "child"), (.admin, "a1", "t1"), (.admin, "a2", "other")] {
            let entry: JSON = ["id": .string(id), "task": .string(task), "minutes": 480, "entry_date": "2026-01-05"]
            #expect(try await scene.client(role).create("time_entries", entry).status == 201)
        }
        return scene
    }

    @Test(arguments: [false, true]) func theOwnerGetsTheValuesIntoTheInbox(byUpload: Bool) async throws {
        let scene = try await scene()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let status =
            byUpload ? try await member.upload(deleted: ["t1"]).status : try await member.remove("tasks", "t1").status
        #expect(status == (byUpload ? 200 : 204))
        let entries = try await admin.send("GET", "/projects/p1/rejected/").at("/results")?.array ?? []
        #expect(entries.count == 1)
        let entry = entries.first ?? .null
        #expect(entry["id"] == "a1" && entry["collection"] == "time_entries" && entry["code"] == "parent_deleted")
        #expect(entry["field"] == .null && entry["kept"] == .null && entry["client_batch_id"] == .null)
        #expect(entry["sent"]?["minutes"] == 480 && entry["sent"]?["task"] == "t1")
        #expect(entry["sent"]?["entry_date"] == "2026-01-05" && entry["sent"]?["id"] == "a1")
        // Whoever deleted knew of their own, and hears nothing of others'.
        #expect(try await member.inbox().isEmpty)
        #expect(try await admin.list("time_entries").at("/results/0/id") == "a2")
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }

    @Test func whatAnOwnerDeletesIsNotLost() async throws {
        let scene = try await scene()
        let admin = try await scene.client(.admin)
        #expect(try await admin.remove("time_entries", "a1").status == 204)
        #expect(try await admin.remove("tasks", "other").status == 204)
        #expect(try await admin.inbox().isEmpty)
    }

    @Test func aDryRunCountsAndDeletesNothing() async throws {
        let scene = try await scene()
        let (member, head) = (try await scene.client(.member), try await scene.client(.member).head())
        let answer = try await member.send("DELETE", "/tasks/t1/?dry_run=true")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json == ["deletes": ["tasks": 2, "time_entries": 2], "hidden": ["time_entries": 1]])
        #expect(try await member.send("DELETE", "/tasks/other/?dry_run=true").json["deletes"]?["time_entries"] == 1)
        let own = try await member.send("DELETE", "/time_entries/m1/?dry_run=true")
        #expect(own.json == ["deletes": ["time_entries": 1], "hidden": [:]])
        #expect(try await member.head() == head)
        #expect(try await member.send("DELETE", "/tasks/t1/?dry_run=false").status == 204)
    }

    @Test func aDryRunOfAProjectCountsAllOfIt() async throws {
        let scene = try await scene()
        let owner = try await scene.client(.owner)
        let answer = try await owner.send("DELETE", "/projects/p1/?dry_run=true")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/deletes/projects") == 1 && answer.at("/deletes/tasks") == 3)
        #expect(answer.at("/deletes/time_entries") == 3 && answer.json["hidden"] == ["time_entries": 3])
        #expect(try await owner.read("projects", "p1").status == 200)
        // The delete itself is told by its code.
        #expect(try await owner.remove("projects", "p1").status == 204)
        #expect(try await scene.client(.admin).send("GET", "/rejected/").at("/results") == [])
    }

    @Test func aDryRunIsRefusedWhereTheDeleteWouldBe() async throws {
        let scene = try await scene()
        let (member, viewer) = (try await scene.client(.member), try await scene.client(.viewer))
        let dry = "?dry_run=true"
        #expect(try await viewer.send("DELETE", "/tasks/t1/\(dry)").verdict == "403 forbidden")
        #expect(try await member.send("DELETE", "/tasks/none/\(dry)").verdict == "404 not_found")
        #expect(try await member.send("DELETE", "/time_entries/a1/\(dry)").verdict == "404 not_found")
        let stale = try await member.send("DELETE", "/tasks/t1/\(dry)", headers: ["If-Match": "\"9\""])
        #expect(stale.verdict == "412 stale_version")
        let calendar = try await member.read("projects", "p1").at("/calendar")?.string ?? ""
        let used = try await scene.client(.owner).send("DELETE", "/calendars/\(calendar)/\(dry)")
        #expect(used.verdict == "409 in_use", "\(used.text)")
        for query in ["?dry_run=1", "?dry_run=", "?dry_run=yes", "?dry_run=true&dry_run=false"] {
            let answer = try await member.send("DELETE", "/tasks/t1/\(query)")
            #expect(answer.verdict == "400 invalid_parameter", "\(query)")
        }
        #expect(try await member.read("tasks", "t1").status == 200)
    }
}
