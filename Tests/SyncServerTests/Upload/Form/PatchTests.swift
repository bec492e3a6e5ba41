import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Which fields of a row count, and how versions change: `docs/protocol.md#what-happens-to-a-row`.
@Suite struct PatchTests {
    @Test func absentFieldsKeepTheirValue() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["notes": "kept", "duration": 7, "percent_complete": 12.5])
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "duration": 8]])
        let task = try await member.task("t1")
        #expect(task?["duration"] == 8)
        #expect(task?["notes"] == "kept")
        #expect(task?["percent_complete"] == 12.5)
        #expect(task?["name"] == "Task t1")
    }

    @Test func nullClearsAFieldThatMayBeNull() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["planned_start": "2026-01-05"])
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "planned_start": .null]])
        #expect(try await member.task("t1")?["planned_start"] == JSON.null)
    }

    @Test func changedLimitsAnUpdateToItsColumns() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "notes": "a colleague's"]])
        // A whole row as it was pulled earlier, of which only the name was edited.
        let row: JSON = ["id": "t1", "name": "Mine", "notes": "", "_changed": "name", "_status": "updated"]
        #expect(try await member.upload(updated: [row]).status == 200)
        let task = try await member.task("t1")
        #expect(task?["name"] == "Mine")
        #expect(task?["notes"] == "a colleague's")
    }

    @Test func anEmptyChangedLimitsNothing() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "name": "B", "_changed": ""]])
        #expect(try await member.task("t1")?["name"] == "B")
    }

    @Test func aColumnThatChangedDoesNotNameIsNotValidated() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let row: JSON = ["id": "t1", "name": "B", "status": "NOPE", "_changed": "name"]
        #expect(try await scene.client(.member).upload(updated: [row]).status == 200)
    }

    @Test func unknownAndServerOwnedFieldsAreIgnored() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let ignored: [String: JSON] = [
            "_status": "created", "_changed": "name", "server_version": 99, "project": "p2", "short_id": "MINE",
            "sync_seq": 1, "nope": [1, ["deep": true]], "created_at": 5,
        ]
        let created = try await member.upload(created: [.object(ignored.merging(["id": "t1", "name": "A"]) { $1 })])
        #expect(created.status == 200)
        let first = try #require(try await member.task("t1"))
        #expect(first["server_version"] == 1)
        #expect(first["project"] == "p1")
        #expect(first["short_id"] != "MINE")
        #expect(first["nope"] == nil && first["_status"] == nil && first["sync_seq"] == nil)

        var again = ignored.merging(["id": "t1", "_changed": "short_id,project,server_version,nope"]) { $1 }
        again["name"] = "A"
        let updated = try await member.upload(updated: [.object(again)])
        #expect(updated.status == 200)
        #expect(try await member.task("t1") == first)
    }

    @Test func aRowThatChangesNothingIsReportedAndNotStamped() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["percent_complete": 50])
        let member = try await scene.client(.member)
        let drain = try await member.drain()
        let whole = try #require(drain.row("tasks", "t1"))
        for row in [whole, ["id": "t1"], ["id": "t1", "percent_complete": 50.0], ["id": "t1", "name": "Task t1"]] {
            let answer = try await member.upload(updated: [row])
            #expect(answer.status == 200)
            #expect(answer.at("/applied/tasks/updated") == [["id": "t1", "server_version": 1]])
            #expect(answer.at("/timestamp") == .int(drain.timestamp))
        }
        let next = try await member.drain(since: drain.timestamp)
        #expect(next.timestamp == drain.timestamp)
        #expect(next.rows.isEmpty)
    }

    @Test func onlyTheRowsOfABatchThatChangeAreStamped() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let head = try await member.head()
        try await member.upload(updated: [["id": "t1", "name": "B"], ["id": "t2", "name": "Task t2"]])
        #expect(try await member.drain(since: head).ids("tasks") == ["t1"])
    }

    @Test func theVersionCountsTheChangesOfTheRowAndTheTimestampThoseOfTheProject() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        for step: Int64 in 1...3 {
            let row: JSON = ["id": "t1", "name": .string("N\(step)")]
            let answer = try await member.upload(updated: [row])
            #expect(answer.at("/applied/tasks/updated/0/server_version") == .int(step))
            #expect(answer.at("/timestamp") == .int(head + step))
        }
        let other = try await member.upload(created: [["id": "t2", "name": "A"]])
        #expect(other.at("/applied/tasks/created/0/server_version") == 1)
        #expect(other.at("/timestamp") == .int(head + 4))
    }

    @Test func aDeleteCountsOnceMore() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        try await scene.client(.member).upload(deleted: ["t1"])
        let version = try await scene.bench.store.read { try $0.record(RowKey("tasks", "t1"))?.version }
        #expect(version == ServerVersion(2))
    }

    @Test func aReStampKeepsTheVersion() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["parent", "t1"])
        let member = try await scene.client(.member)
        let head = try #require(try await member.upload(deleted: ["parent"]).at("/timestamp")?.int)
        let answer = try await member.upload(updated: [["id": "t1", "parent": "parent"]])
        #expect(answer.at("/timestamp") == .int(head + 1))
        #expect(try await member.drain(since: head).row("tasks", "t1")?["server_version"] == 1)
    }
}
