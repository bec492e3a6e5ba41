import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A cascade needs the role only for its root. It also deletes rows that the caller could not delete or see.
@Suite struct CascadePermissionTests {
    @Test func aMemberWhoDeletesATaskTakesItsDependantsAlong() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        #expect(try await member.remove("dependencies", "d1").verdict == "403 forbidden")
        #expect(try await member.remove("tasks", "t1").verdict == "204")
        let gone = [
            ("dependencies", "d1"), ("task_suggested_assignees", "sa1"), ("task_links", "l1"),
            ("task_recurrence_rules", "rr1"), ("time_entries", "te1"), ("time_entries", "te-foreign"),
        ]
        for (collection, id) in gone {
            #expect(try await scene.bench.record(collection, id)?.isDeleted == true, "\(collection) \(id)")
            #expect(try await admin.read(collection, id).verdict == "404 not_found", "\(collection) \(id)")
        }
        #expect(try await admin.read("risks", "r1").at("/task_ids") == ["t2"])
        #expect(try await admin.read("retro_action_items", "ai1").at("/promoted_task_id") == JSON.null)
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    @Test func anAdminWhoDeletesASprintTakesItsRetroAlongAndLeavesItsTasks() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertTasks(["planned"], ["sprint": "s1"])
        let admin = try await scene.client(.admin)
        #expect(try await scene.client(.scheduler).remove("sprints", "s1").verdict == "403 forbidden")
        #expect(try await admin.remove("sprints", "s1").verdict == "204")
        for (collection, id) in [("sprint_retros", "re1"), ("retro_action_items", "ai1")] {
            #expect(try await admin.read(collection, id).verdict == "404 not_found", "\(collection)")
        }
        #expect(try await admin.read("tasks", "planned").at("/sprint") == JSON.null)
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    @Test func aCalendarInUseStays() async throws {
        let scene = try await Scene()
        let admin = try await scene.client(.admin)
        let calendar = try #require(try await admin.read("projects", "p1").at("/calendar")?.string)
        #expect(try await admin.remove("calendars", calendar).verdict == "409 in_use")
        #expect(try await admin.create("calendars", ["id": "c2", "name": "Other"]).verdict == "201")
        #expect(try await admin.patch("projects", "p1", ["calendar": "c2"]).verdict == "200")
        #expect(try await admin.remove("calendars", calendar).verdict == "204")
    }
}
