import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// References to rows that come later in the batch, are deleted, or
/// never existed: `docs/protocol.md#references-that-died-meanwhile`.
@Suite struct ReferenceTests {
    @Test func aChildMayComeBeforeItsParentInABatch() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(created: [
            ["id": "grandchild", "name": "C", "parent": "child"], ["id": "child", "name": "B", "parent": "parent"],
            ["id": "parent", "name": "A"],
        ])
        #expect(answer.status == 200)
        #expect(answer.at("/applied/tasks/created")?.array?.count == 3)
        #expect(try await member.task("grandchild")?["parent"] == "child")
    }

    @Test func aRowCreatedMayReferToOneSentInUpdated() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(
            created: [["id": "child", "name": "B", "parent": "parent"]], updated: [["id": "parent", "name": "A"]])
        #expect(answer.status == 200)
        #expect(try await member.task("child")?["parent"] == "parent")
    }

    @Test func aNewRowUnderATombstoneIsSkippedAndLeavesATombstone() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["parent"])
        let member = try await scene.client(.member)
        let head = try #require(try await member.upload(deleted: ["parent"]).at("/timestamp")?.int)
        let answer = try await member.upload(created: [
            ["id": "grandchild", "name": "C", "parent": "child"], ["id": "child", "name": "B", "parent": "parent"],
            ["id": "fine", "name": "D"],
        ])
        #expect(answer.status == 200)
        #expect(
            Set(answer.at("/skipped/tasks")?.array ?? []) == [
                ["id": "child", "code": "parent_deleted"], ["id": "grandchild", "code": "parent_deleted"],
            ])
        #expect(answer.at("/applied/tasks/created") == [["id": "fine", "server_version": 1]])
        let drain = try await member.drain(since: head)
        #expect(drain.ids("tasks") == ["fine"])
        #expect(drain.deleted == [RowKey("tasks", "child"), RowKey("tasks", "grandchild")])
    }

    /// A phone sends this after a restore that lost the sprint.
    @Test func aNewRowUnderATombstoneMayReferToWhatNeverWas() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["parent"])
        let member = try await scene.client(.member)
        let head = try #require(try await member.upload(deleted: ["parent"]).at("/timestamp")?.int)
        let answer = try await member.upload(created: [
            ["id": "child", "name": "B", "parent": "parent", "sprint": "never", "assignee": 999]
        ])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/skipped/tasks") == [["id": "child", "code": "parent_deleted"]])
        #expect(try await member.drain(since: head).deleted == [RowKey("tasks", "child")])
    }

    @Test func aNewRowUnderARowDeletedInTheSameBatchIsSkipped() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["parent"])
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(
            created: [["id": "child", "name": "B", "parent": "parent"]], deleted: ["parent"])
        #expect(answer.status == 200)
        #expect(answer.at("/skipped/tasks") == [["id": "child", "code": "parent_deleted"]])
        #expect(answer.at("/applied/tasks/deleted") == ["parent"])
        #expect(try await member.drain(since: head).deleted == [RowKey("tasks", "child"), RowKey("tasks", "parent")])
    }

    @Test func aLiveRowMovedUnderATombstoneKeepsItsParent() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["old", "dead", "top"])
        try await scene.insertTasks(["t1"], ["parent": "old"])
        let member = try await scene.client(.member)
        let head = try #require(try await member.upload(deleted: ["dead"]).at("/timestamp")?.int)
        let answer = try await member.upload(updated: [
            ["id": "t1", "parent": "dead", "name": "Renamed"], ["id": "top", "parent": "dead"],
        ])
        #expect(answer.status == 200)
        #expect(
            Set(answer.at("/skipped/tasks")?.array ?? []) == [
                ["id": "t1", "field": "parent", "code": "parent_deleted"],
                ["id": "top", "field": "parent", "code": "parent_deleted"],
            ])
        let drain = try await member.drain(since: head)
        #expect(drain.row("tasks", "t1")?["parent"] == "old")
        #expect(drain.row("tasks", "t1")?["name"] == "Renamed")
        #expect(drain.row("tasks", "top")?["parent"] == JSON.null)
        #expect(drain.deleted.isEmpty)
    }

    @Test func aSprintThatIsGoneBecomesNullAndIsReported() async throws {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        try await scene.insertTasks(["t1"])
        try await scene.bench.edit { try $0.delete("sprints", "s1") }
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(
            created: [["id": "new", "name": "A", "sprint": "s1"]], updated: [["id": "t1", "sprint": "s1"]])
        #expect(answer.status == 200)
        #expect(
            Set(answer.at("/repaired/tasks")?.array ?? []) == [
                ["id": "new", "field": "sprint", "from": "s1", "to": .null],
                ["id": "t1", "field": "sprint", "from": "s1", "to": .null],
            ])
        #expect(answer.at("/applied/tasks/created/0/id") == "new")
        let drain = try await member.drain(since: head)
        #expect(drain.row("tasks", "new")?["sprint"] == JSON.null)
        #expect(drain.row("tasks", "t1")?["sprint"] == JSON.null)
    }

    @Test func anAssigneeWhoLeftBecomesNullAndIsReported() async throws {
        let scene = try await Scene()
        let gone = scene.userID(.viewer)
        try await scene.removeMember(.viewer)
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(created: [["id": "t1", "name": "A", "assignee": gone]])
        #expect(answer.status == 200)
        #expect(answer.at("/repaired/tasks") == [["id": "t1", "field": "assignee", "from": gone, "to": .null]])
        #expect(try await member.drain(since: head).row("tasks", "t1")?["assignee"] == JSON.null)
    }

    @Test func anAssigneeIsAMember() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let viewer = scene.userID(.viewer)
        try await member.upload(created: [["id": "t1", "name": "A", "assignee": viewer]])
        #expect(try await member.task("t1")?["assignee"] == viewer)
    }

    @Test func aReferenceToWhatNeverWasIsAnError() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await other.edit { editor in
            try editor.insert("tasks", "theirs", ["name": "T"])
            try editor.insert("sprints", "theirs", Scene.sprint)
        }
        let member = try await scene.client(.member)
        let answer = try await member.upload(created: [
            ["id": "a", "name": "A", "parent": "never"], ["id": "b", "name": "A", "parent": "theirs"],
            ["id": "c", "name": "A", "sprint": "never"], ["id": "d", "name": "A", "sprint": "theirs"],
            ["id": "e", "name": "A", "assignee": 999_999],
            ["id": "f", "name": "A", "assignee": .int(other.caller(.member).userID)],
        ])
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_rows")
        #expect(
            answer.errors == [
                "/changes/tasks/created/0/parent unknown_reference",
                "/changes/tasks/created/1/parent unknown_reference",
                "/changes/tasks/created/2/sprint unknown_reference",
                "/changes/tasks/created/3/sprint unknown_reference",
                "/changes/tasks/created/4/assignee unknown_user", "/changes/tasks/created/5/assignee unknown_user",
            ])
    }

    @Test func aRowIsNotItsOwnAncestor() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["a", "b"])
        try await scene.insertTasks(["c"], ["parent": "b"])
        let member = try await scene.client(.member)
        let own = try await member.upload(updated: [["id": "a", "parent": "a"]])
        #expect(own.errors == ["/changes/tasks/updated/0/parent cyclic_parent"])
        let closing = try await member.upload(updated: [["id": "b", "parent": "c"]])
        #expect(closing.errors == ["/changes/tasks/updated/0/parent cyclic_parent"])
        let within = try await member.upload(updated: [["id": "a", "parent": "b"], ["id": "b", "parent": "a"]])
        #expect(within.status == 400)
        #expect(within.errors.allSatisfy { $0.hasSuffix("cyclic_parent") })
        let fresh = try await member.upload(created: [
            ["id": "x", "name": "X", "parent": "y"], ["id": "y", "name": "Y", "parent": "x"],
        ])
        #expect(fresh.status == 400)
        #expect(fresh.errors.allSatisfy { $0.hasSuffix("cyclic_parent") })
    }

    @Test func aTreeIsJudgedOnItsFinalState() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["a"])
        try await scene.insertTasks(["b"], ["parent": "a"])
        let member = try await scene.client(.member)
        // The tree is turned around: a moves below b, which moves to the top.
        let answer = try await member.upload(updated: [["id": "a", "parent": "b"], ["id": "b", "parent": .null]])
        #expect(answer.status == 200)
        #expect(try await member.task("a")?["parent"] == "b")
    }
}
