import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// What a delete deletes too: `docs/protocol.md#deletes`.
@Suite struct CascadeTests {
    @Test func aDeletedTaskTakesItsDependantsAlongInOneCommit() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertTasks(["child"], ["parent": "t1"])
        try await scene.insertTasks(["grandchild"], ["parent": "child"])
        try await scene.bench.edit { editor in
            try editor.insert("dependencies", "d2", ["predecessor": "t3", "successor": "grandchild"])
            try editor.insert("task_links", "l2", ["task": "grandchild", "url": "https://a.org"])
        }
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(deleted: ["t1"])
        #expect(answer.at("/timestamp") == .int(head + 1))

        let drain = try await member.drain(since: head)
        #expect(drain.timestamp == head + 1)
        let gone: Set = [
            RowKey("tasks", "t1"), RowKey("tasks", "child"), RowKey("tasks", "grandchild"),
            RowKey("dependencies", "d1"), RowKey("dependencies", "d2"), RowKey("task_links", "l1"),
            RowKey("task_links", "l2"), RowKey("task_recurrence_rules", "rr1"),
            RowKey("task_suggested_assignees", "sa1"), RowKey("time_entries", "te1"),
        ]
        #expect(drain.deleted == gone)
        #expect(drain.row("risks", "r1")?["task_ids"] == ["t2"])
        #expect(drain.row("retro_action_items", "ai1")?["promoted_task_id"] == JSON.null)
        #expect(drain.rows.count == 2)
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }

    @Test func aLiveRowNeverRefersToATombstoneOnAnyPageSize() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let before = try await member.drain()
        try await member.upload(deleted: ["t1", "t3"])
        let after = try await member.drain(since: before.timestamp, pageSize: 1)
        let rows = before.rows.merging(after.rows) { $1 }.filter { !after.deleted.contains($0.key) }
        for (key, row) in rows {
            for field in ["task", "parent", "predecessor", "successor"] {
                guard let id = row[field]?.string else { continue }
                #expect(rows.keys.contains(RowKey("tasks", id)), "\(key).\(field)")
            }
        }
        #expect(rows == (try await member.drain()).rows)
    }

    @Test func childAndParentMayBeDeletedInOneBatchInAnyOrder() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["parent"])
        try await scene.insertTasks(["child"], ["parent": "parent"])
        let member = try await scene.client(.member)
        let answer = try await member.upload(deleted: ["parent", "child"])
        #expect(answer.status == 200)
        #expect(answer.at("/applied/tasks/deleted") == ["parent", "child"])
        #expect(answer.at("/skipped") == [:])
    }

    @Test func aDeletedTaskTakesAnotherUsersTimeEntriesAlongAndDoesNotShowThem() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let head = try await member.head()
        #expect(!(try await member.drain()).ids("time_entries").contains("te-foreign"))
        try await member.upload(deleted: ["t1"])
        #expect(!(try await member.drain(since: head)).isDeleted("time_entries", "te-foreign"))
        #expect(try await admin.drain(since: head).isDeleted("time_entries", "te-foreign"))
    }

    @Test func aDeletedSprintLeavesItsTasks() async throws {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        try await scene.insertTasks(["t1"], ["sprint": "s1"])
        try await scene.bench.edit { try $0.insert("sprint_retros", "re1", ["sprint": "s1"]) }
        let member = try await scene.client(.member)
        let head = try await member.head()
        try await scene.bench.edit { try $0.delete("sprints", "s1") }
        let drain = try await member.drain(since: head)
        #expect(drain.deleted == [RowKey("sprints", "s1"), RowKey("sprint_retros", "re1")])
        #expect(drain.row("tasks", "t1")?["sprint"] == JSON.null)
    }
}
