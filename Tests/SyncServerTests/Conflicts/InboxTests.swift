import SyncProtocol
import SyncTestKit
import Testing

/// `/projects/{id}/rejected/`.
@Suite struct InboxTests {
    @Test func whatWasRefusedSkippedOrPutRightCanBeReadBackByItsAuthorAlone() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "gone"])
        try await scene.bench.edit { try $0.delete("tasks", "gone") }
        let member = try await scene.client(.member)
        let answer = try await member.upload(
            created: [["id": "bad", "name": 7]],
            updated: [
                ["id": "t1", "name": "Good", "status": "NOPE"], ["id": "gone", "name": "Late"],
            ], members: ["on_error": "reject_rows"])
        #expect(answer.status == 200)
        #expect(
            try await Set(member.inbox()) == [
                "- deleted {\"id\":\"gone\",\"name\":\"Late\"} null", "- wrong_type {\"id\":\"bad\",\"name\":7} null",
                "name not_in_enum \"Good\" \"Task t1\"", "status not_in_enum \"NOPE\" \"NOT_STARTED\"",
            ])
        #expect(try await scene.client(.admin).inbox().isEmpty)
        let repaired = try await member.upload(
            updated: [["id": "t1", "status": "NOPE"]], members: ["on_error": "repair"])
        #expect(repaired.status == 200)
        #expect(try await member.inbox().last == "status repaired \"NOPE\" \"NOT_STARTED\"")
    }

    @Test func aRowWithoutAValidIDIsKeptWhole() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "no good", "name": "X"]], members: ["on_error": "reject_rows"])
        #expect(try await member.inbox() == ["- invalid_id {\"id\":\"no good\",\"name\":\"X\"} null"])
    }

    @Test func aRowThatIsRefusedAgainHasOneEntry() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for name in [7, 7, 8] as [JSON] {
            try await member.upload(created: [["id": "bad", "name": name]], members: ["on_error": "reject_rows"])
        }
        #expect(
            try await member.inbox() == [
                "- wrong_type {\"id\":\"bad\",\"name\":7} null", "- wrong_type {\"id\":\"bad\",\"name\":8} null",
            ])
    }

    @Test func aBatchThatFailsLeavesNothing() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await member.upload(created: [["id": "bad", "name": 7]]).status == 400)
        #expect(try await member.inbox().isEmpty)
    }

    @Test func entriesArePagedAndDismissed() async throws {
        let scene = try await Scene()
        let (member, admin) = try await (scene.client(.member), scene.client(.admin))
        let rows: [JSON] = (0..<5).map { ["id": .string("b\($0)"), "name": .int(Int64($0))] }
        try await member.upload(created: rows, members: ["on_error": "reject_rows"])
        let path = "/projects/p1/rejected/"
        var (ids, after) = ([String](), "")
        for _ in 0..<3 {
            let page = try await member.send("GET", path + "?limit=2" + after)
            ids += (page.at("/results")?.array ?? []).compactMap { $0["id"]?.string }
            after = "&after=" + (page.at("/next")?.string ?? "none")
        }
        #expect(ids == ["b0", "b1", "b2", "b3", "b4"] && after == "&after=none")
        let first = try await member.send("GET", path + "?limit=1").at("/results/0")
        #expect(first?["collection"] == "tasks" && first?["client_batch_id"]?.string?.count == 36)
        let entry = first?["entry"]?.string ?? ""
        #expect(try await admin.send("DELETE", path + entry + "/").status == 404)
        #expect(try await member.send("DELETE", path + entry + "/").status == 204)
        #expect(try await member.send("DELETE", path + entry + "/").status == 404)
        #expect(try await member.send("DELETE", path + "b1/").status == 204, "all about a row")
        #expect(try await member.inbox().count == 3)
        #expect(try await member.send("GET", path + "?after=b1").code == "invalid_parameter")
        let reader = try await scene.client(.member, isReadOnly: true)
        #expect(try await reader.send("DELETE", path + "b2/").code == "read_only_token")
        #expect(try await reader.inbox().count == 3)
    }

    @Test func entriesEndAfterTheirTimeAndWithTheMembership() async throws {
        let scene = try await Scene()
        let (member, admin) = try await (scene.client(.member), scene.client(.admin))
        for client in [member, admin] {
            try await client.upload(created: [["id": "bad", "name": 7]], members: ["on_error": "reject_rows"])
        }
        try await scene.removeMember(.member)
        #expect(try await member.send("GET", "/projects/p1/rejected/").code == "membership_revoked")
        scene.clock.advance(by: .seconds(29 * 86_400))
        #expect(try await admin.inbox().count == 1)
        scene.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await admin.inbox().isEmpty)
    }

    @Test func whatTheProjectHasInsteadIsToldOnlyAsLongAsTheRowIsThere() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "status": "NOPE"]], members: ["on_error": "reject_rows"])
        #expect(try await member.inbox() == ["status not_in_enum \"NOPE\" \"NOT_STARTED\""])
        try await scene.bench.edit { try $0.delete("tasks", "t1") }
        #expect(try await member.inbox() == ["status not_in_enum \"NOPE\" null"])
    }
}
