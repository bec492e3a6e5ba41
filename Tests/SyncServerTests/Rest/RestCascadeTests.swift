import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// What a delete over REST deletes too, as an upload does: `docs/protocol.md#deletes`.
@Suite struct RestCascadeTests {
    private func scene() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertTasks(["child"], ["parent": "t1", "sprint": "s1"])
        try await scene.insertTasks(["grandchild"], ["parent": "child"])
        let scheduler = try await scene.client(.scheduler)
        try await scheduler.create("dependencies", ["id": "d2", "predecessor": "t3", "successor": "grandchild"])
        return (scene, scheduler)
    }

    @Test func aTaskDeletedOverRestGoesLikeOneDeletedByUpload() async throws {
        let ((scene, client), (twin, other)) = (try await scene(), try await scene())
        let head = try await client.head()
        #expect(try await client.remove("tasks", "t1").status == 204)
        try await other.upload(deleted: ["t1"])
        let (drain, expected) = (try await client.drain(since: head), try await other.drain(since: head))
        #expect(drain.timestamp == head + 1)
        #expect(drain.deleted == expected.deleted && drain.rows == expected.rows)
        #expect(drain.deleted.count == 8 && drain.isDeleted("dependencies", "d2"))
        #expect(try await scene.bench.brokenInvariants().isEmpty)
        #expect(try await twin.bench.brokenInvariants().isEmpty)
    }

    @Test func aSprintTakesItsRetroAlongAndLeavesItsTasks() async throws {
        let (scene, client) = try await scene()
        let head = try await client.head()
        #expect(try await scene.client(.admin).remove("sprints", "s1").status == 204)
        let drain = try await client.drain(since: head)
        #expect(
            drain.deleted == [
                RowKey("sprints", "s1"), RowKey("sprint_retros", "re1"), RowKey("retro_action_items", "ai1"),
            ])
        #expect(drain.row("tasks", "child")?["sprint"] == JSON.null)
        #expect(drain.row("tasks", "child")?["server_version"] == 2)
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }

    @Test func aCascadeNeedsTheRoleForItsRootAlone() async throws {
        let (_, scheduler) = try await scene()
        // Recurrence rules and dependencies need SCHEDULER, tasks need MEMBER.
        let (scene, _) = try await scene()
        let member = try await scene.client(.member)
        #expect(try await member.remove("task_recurrence_rules", "rr1").status == 403)
        #expect(try await member.remove("tasks", "t1").status == 204)
        #expect(try await scheduler.remove("task_recurrence_rules", "rr1").status == 204)
    }
}
