import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// A batch is applied whole or not at all: `docs/protocol.md#post-projectsidsync`.
@Suite struct AtomicityTests {
    @Test func oneBadRowLeavesNothingBehindAndTheSameIDWorksAfterTheFix() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let head = try await member.head()
        let batch = UUID().uuidString
        let good: [JSON] = [["id": "new1", "name": "New"], ["id": "new2", "name": "New"]]
        let bad: JSON = ["id": "t1", "name": "B", "status": "NOPE"]
        let refused = try await member.upload(created: good, updated: [bad], deleted: ["t2"], batch: batch)
        #expect(refused.status == 400)
        #expect(refused.code == "invalid_rows")
        #expect(refused.errors == ["/changes/tasks/updated/0/status not_in_enum"])
        #expect(try await member.head() == head)
        #expect(try await member.drain().ids("tasks") == ["t1", "t2"])

        let mended: JSON = ["id": "t1", "name": "B", "status": "COMPLETE"]
        let applied = try await member.upload(created: good, updated: [mended], deleted: ["t2"], batch: batch)
        #expect(applied.status == 200)
        #expect(applied.header("Idempotent-Replayed") == nil)
        #expect(try await member.head() == head + 1)
        #expect(try await member.drain().ids("tasks") == ["t1", "new1", "new2"])
    }

    @Test func everyBadRowIsNamedWithItsPointer() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let answer = try await scene.client(.member).upload(
            created: [
                ["id": "ok", "name": "Fine"], ["id": "a"], ["id": "b", "name": 7, "duration": "x"], ["name": "No id"],
                ["id": "bad id", "name": "C"], "not a row",
            ],
            updated: [["id": "t1", "percent_complete": 101]], deleted: ["", 7])
        #expect(answer.status == 400)
        #expect(
            Set(answer.errors) == [
                "/changes/tasks/created/1/name required", "/changes/tasks/created/2/name wrong_type",
                "/changes/tasks/created/2/duration wrong_type", "/changes/tasks/created/3 invalid_id",
                "/changes/tasks/created/4 invalid_id", "/changes/tasks/created/5 invalid_id",
                "/changes/tasks/updated/0/percent_complete out_of_range", "/changes/tasks/deleted/0 invalid_id",
                "/changes/tasks/deleted/1 invalid_id",
            ])
    }

    @Test(arguments: ["created", "updated", "deleted"])
    func anIDTwiceInABucketIsRefused(bucket: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let row: JSON = bucket == "deleted" ? "t1" : ["id": "t1", "name": "B"]
        let answer = try await scene.client(.member).post([
            "client_batch_id": .string(UUID().uuidString), "changes": ["tasks": .object([bucket: [row, row]])],
        ])
        #expect(answer.status == 400)
        #expect(answer.errors == ["/changes/tasks/\(bucket)/1 duplicate_id"])
    }

    @Test func anIDInAllThreeBucketsIsCreatedThenUpdatedThenDeleted() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(
            created: [["id": "t1", "name": "A"]], updated: [["id": "t1", "name": "B"]], deleted: ["t1"])
        #expect(answer.status == 200)
        #expect(answer.at("/applied/tasks/deleted") == ["t1"])
        let drain = try await member.drain(since: head)
        #expect(drain.rows.isEmpty)
        #expect(drain.isDeleted("tasks", "t1"))
    }

    @Test func anIDInCreatedAndUpdatedHasTheLaterValues() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(
            created: [["id": "t1", "name": "A", "notes": "kept"]], updated: [["id": "t1", "name": "B"]])
        let task = try await member.task("t1")
        #expect(task?["name"] == "B")
        #expect(task?["notes"] == "kept")
        #expect(task?["server_version"] == 1)
    }
}
