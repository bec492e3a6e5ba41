import SyncProtocol
import SyncTestKit
import Testing

/// `on_conflict: reject` and `newest`.
@Suite struct RejectTests {
    @Test func aConflictFailsTheBatchWithEveryRowAndAfterAPullItSucceeds() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "t3"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        two.namesColumns = true
        one.edit("t1", ["name": "One's"])
        one.edit("t2", ["percent_complete": 20])
        try await one.push("reject")
        for id in ["t1", "t2", "t3"] { two.edit(id, ["name": "Two's"]) }
        let answer = try await two.push("reject")
        #expect(answer.status == 409 && answer.code == "conflict")
        #expect(answer.errors == ["/changes/tasks/updated/0 conflict", "/changes/tasks/updated/1 conflict"])
        #expect(answer.at("/errors/0/server_values") == ["name": "One's"])
        #expect(answer.at("/errors/0/server_version") == 2)
        #expect(try await two.client.task("t3")?["name"] == "Task t3", "nothing was applied")
        try await two.pull()
        #expect(try await two.push("reject").status == 200)
        let task = try await two.client.task("t2")
        #expect(task?["name"] == "Two's" && task?["percent_complete"] == 20)
    }

    @Test func aRestampIsNoConflict() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "dead"])
        try await scene.bench.edit { try $0.delete("tasks", "dead") }
        var phone = try await EditingPhone(scene.client(.member))
        let head = phone.since
        let other = try await scene.client(.admin)
        try await other.upload(updated: [["id": "t1", "parent": "dead"]])
        #expect(try await other.drain(since: head).ids("tasks") == ["t1"], "the skipped row is stamped again")
        phone.edit("t1", ["name": "Offline"])
        #expect(try await phone.push("reject").status == 200)
    }

    @Test func aChangeByCascadeIsAConflict() async throws {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        try await scene.insertTasks(["t1"], ["sprint": "s1"])
        var phone = try await EditingPhone(scene.client(.member))
        try await scene.bench.edit { try $0.delete("sprints", "s1") }
        phone.edit("t1", ["name": "Offline"])
        #expect(try await phone.push("reject").status == 409)
        #expect(try await phone.push("merge").at("/conflicts") == [:])
        let task = try await phone.client.task("t1")
        #expect(task?["name"] == "Offline" && task?["sprint"] == .null)
    }
}

/// `on_conflict: newest`.
@Suite struct NewestTests {
    private static func edit(_ name: String, _ time: String) -> [String: JSON] {
        ["name": .string(name), "modified_at": .string("2026-06-01T\(time):00.000Z")]
    }

    @Test func theLaterEditWinsThoughItArrivesFirst() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.edit("t1", NewestTests.edit("Later", "11:00"))
        two.edit("t1", NewestTests.edit("Earlier", "10:00"))
        try await one.push("newest")
        let answer = try await two.push("newest")
        #expect(answer.at("/conflicts/tasks/0/server_values/name") == "Later")
        #expect(answer.at("/applied/tasks/updated") == [])
        #expect(try await two.client.inbox().contains("name overwritten \"Earlier\" \"Later\""))
        #expect(try await one.client.inbox().isEmpty)
        try await two.pull()
        #expect(two.rows["t1"]?["name"] == "Later", "the sender is put right")
    }

    @Test func theLaterEditWinsAndTheEarlierAuthorIsTold() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.edit("t1", NewestTests.edit("Earlier", "10:00"))
        two.edit("t1", NewestTests.edit("Later", "11:00"))
        try await one.push("newest")
        let answer = try await two.push("newest")
        #expect(answer.at("/conflicts") == [:])
        #expect(try await two.client.task("t1")?["name"] == "Later")
        #expect(try await one.client.inbox() == ["name overwritten \"Earlier\" \"Later\""])
        #expect(try await two.client.inbox().isEmpty)
    }

    @Test func aClockThatIsAheadGetsNoAdvantage() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.edit("t1", ["name": "From the future", "modified_at": "2031-01-01T00:00:00.000Z"])
        try await one.push("newest")
        scene.clock.advance(by: .seconds(60))
        two.edit("t1", ["name": "A minute later", "modified_at": "2026-06-01T12:00:30.000Z"])
        #expect(try await two.push("newest").at("/conflicts") == [:])
        #expect(try await two.client.task("t1")?["name"] == "A minute later")
    }

    @Test func aRowMadeByAClockThatIsAheadCanBeEdited() async throws {
        let scene = try await Scene()
        let (one, two) = try await (scene.client(.member), scene.client(.admin))
        try await one.upload(created: [["id": "t1", "name": "Future", "modified_at": "2099-01-01T00:00:00.000Z"]])
        scene.clock.advance(by: .seconds(60))
        let row: JSON = ["id": "t1", "name": "Now", "modified_at": "2026-06-01T12:00:30.000Z"]
        let answer = try await two.upload(updated: [row], members: ["on_conflict": "newest"])
        #expect(answer.at("/conflicts") == [:])
        #expect(try await two.task("t1")?["name"] == "Now")
        #expect(try await one.inbox() == ["name overwritten \"Future\" \"Now\""], "its maker is told, base or not")
    }

    /// With no edit time, or with one in the future.
    @Test(arguments: [nil, "2999-01-01T00:00:00.000Z"] as [JSON])
    func anInsertWithoutAnEditTimeOfThePastCountsAsMadeWhenItArrived(editTime: JSON) async throws {
        let scene = try await Scene()
        let (one, two) = try await (scene.client(.member), scene.client(.admin))
        try await one.upload(created: [["id": "t1", "name": "New", "modified_at": editTime]])
        let old: JSON = ["id": "t1", "name": "Old", "modified_at": "2020-01-01T00:00:00.000Z"]
        let base = try await two.head() - 1
        for members in [[:], ["last_pulled_at": .int(base)]] as [[String: JSON]] {
            let answer = try await two.upload(
                updated: [old], members: members.merging(["on_conflict": "newest"]) { $1 })
            #expect(answer.at("/conflicts/tasks/0/server_values/name") == "New", "\(answer.text)")
        }
        #expect(try await one.task("t1")?["name"] == "New")
        #expect(try await two.inbox().contains("name overwritten \"Old\" \"New\""))
    }

    @Test func anInsertCountsAsMadeAtItsEditTimeThoughItsAuthorEditedItLater() async throws {
        let scene = try await Scene()
        let (one, two) = try await (scene.client(.member), scene.client(.admin))
        let base = try await two.head()
        try await one.upload(created: [["id": "t1", "name": "New", "modified_at": "2026-06-01T10:00:00.000Z"]])
        try await two.patch("tasks", "t1", ["notes": "Mine", "modified_at": "2026-06-01T11:55:00.000Z"])
        let edit: JSON = ["id": "t1", "name": "Later", "modified_at": "2026-06-01T11:00:00.000Z"]
        let answer = try await two.upload(
            updated: [edit], members: ["on_conflict": "newest", "last_pulled_at": .int(base)])
        #expect(answer.at("/conflicts") == [:], "\(answer.text)")
        #expect(try await two.task("t1")?["name"] == "Later")
    }

    @Test func withoutAnEditTimeTheLastWriterWins() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let (one, two) = try await (scene.client(.member), scene.client(.admin))
        for (client, name) in [(one, "First"), (two, "Second")] {
            let answer = try await client.upload(
                updated: [["id": "t1", "name": .string(name)]], members: ["on_conflict": "newest"])
            #expect(answer.at("/applied/tasks/updated/0/id") == "t1")
        }
        #expect(try await one.task("t1")?["name"] == "Second")
    }
}
