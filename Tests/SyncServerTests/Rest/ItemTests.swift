import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// Single rows over REST: what each method answers, for every caller.
@Suite struct ItemTests {
    @Test func aRowLivesItsWholeLife() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let created = try await member.create("risks", ["id": "r1", "title": "Rain", "probability": 2, "impact": 3])
        #expect(created.status == 201)
        #expect(created.header("Location") == "/api/v1/risks/r1/" && created.header("ETag") == "\"1\"")
        #expect(created.at("/server_version") == 1 && created.at("/short_id") == "00000001")
        #expect(created.at("/status") == "OPEN" && created.at("/task_ids") == [])

        let read = try await member.read("risks", "r1")
        #expect(read.json == created.json && read.header("ETag") == "\"1\"")
        let patched = try await member.patch("risks", "r1", ["status": "RESOLVED"])
        #expect(patched.status == 200 && patched.header("ETag") == "\"2\"")
        #expect(patched.at("/status") == "RESOLVED" && patched.at("/title") == "Rain")

        let owner = try await scene.client(.owner)
        let deleted = try await owner.remove("risks", "r1")
        #expect(deleted.status == 204 && deleted.body.isEmpty)
        for answer in [
            try await owner.read("risks", "r1"), try await owner.patch("risks", "r1", [:]),
            try await owner.remove("risks", "r1"),
        ] { #expect(answer.status == 404 && answer.code == "not_found") }
    }

    /// An earlier version took names that the IANA database does not have.
    @Test func aTimeZoneOfAnEarlierVersionStaysUntilItIsChanged() async throws {
        let scene = try await Scene()
        try await scene.bench.edit { try $0.insert("calendars", "c9", ["name": "C", "timezone": "UTC+2"]) }
        let owner = try await scene.client(.owner)
        #expect(try await owner.read("calendars", "c9").at("/timezone") == "UTC+2")
        #expect(try await owner.drain().row("calendars", "c9")?["timezone"] == "UTC+2")
        #expect(try await owner.patch("calendars", "c9", ["name": "D", "timezone": "UTC+2"]).status == 200)
        #expect(try await owner.patch("calendars", "c9", ["timezone": "UTC+3"]).status == 400)
        #expect(try await owner.patch("calendars", "c9", ["timezone": "Europe/Kyiv"]).status == 200)
    }

    @Test func everyChangeIsOneCommitAndReachesTheNextDrain() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        try await member.create("sprints", JSON.object(Scene.sprint.merging(["id": "s1"]) { $1 }))
        try await member.patch("sprints", "s1", ["goal": "Ship"])
        #expect(try await member.head() == head + 2)
        #expect(try await member.drain(since: head).row("sprints", "s1")?["goal"] == "Ship")
    }

    @Test func aPatchThatChangesNothingCommitsNothing() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.patch("tasks", "t1", ["name": "Task t1", "percent_complete": 0.0])
        #expect(answer.status == 200 && answer.at("/server_version") == 1)
        #expect(try await member.head() == head)
    }

    @Test func fieldsOfTheServersOwnAndUnknownOnesAreRefused() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let body: JSON = ["name": "A", "short_id": "X", "colour": "red", "server_version": 1]
        for answer in [try await member.create("tasks", body), try await member.patch("tasks", "t1", body)] {
            #expect(answer.status == 400 && answer.code == "invalid_rows")
            #expect(
                answer.errors == [
                    "/colour unknown_field", "/server_version read_only_field", "/short_id read_only_field",
                ])
        }
        #expect(try await member.patch("tasks", "t1", ["id": "t1"]).errors == ["/id read_only_field"])
    }

    @Test(arguments: ["[]", "null", "\"x\"", "1", "{", ""])
    func aBodyThatIsNoObjectIsRefused(body: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send("POST", "/projects/p1/tasks/", body.data)
        #expect(answer.status == 400)
        #expect(["invalid_json", "invalid_body"].contains(answer.code))
    }

    @Test(arguments: ["t1", "t-dead", "t-foreign", "t-foreign-dead"])
    func anIdThatAnyRowHasOrHadIsUnavailable(id: String) async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await scene.insertTasks(["t1", "t-dead"])
        try await other.edit { editor in
            for id in ["t-foreign", "t-foreign-dead"] { try editor.insert("tasks", id, ["name": "F"]) }
        }
        try await other.edit { try $0.delete("tasks", "t-foreign-dead") }
        try await scene.bench.edit { try $0.delete("tasks", "t-dead") }
        let member = try await scene.client(.member)
        let answer = try await member.create("tasks", ["id": .string(id), "name": "A"])
        #expect(answer.status == 409 && answer.code == "id_unavailable")
        let known = try await member.create("tasks", ["id": "t1", "name": "A"])
        #expect(answer.text.replacing(id, with: "t1") == known.text)
    }

    @Test(arguments: ["", "-a", "a b", "ä", String(repeating: "a", count: 65)])
    func anIdThatBreaksTheRuleIsRefused(id: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).create("tasks", ["id": .string(id), "name": "A"])
        #expect(answer.status == 400 && answer.errors == ["/id invalid_id"])
    }

    @Test func referencesToWhatIsGoneOrElsewhereAreRefused() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let other = try await scene.otherProject()
        try await other.edit { try $0.insert("tasks", "t-foreign", ["name": "F"]) }
        let member = try await scene.client(.member)
        for id in ["t-dead", "t-foreign", "t-never"] {
            let answer = try await member.patch("tasks", "t1", ["parent": .string(id)])
            #expect(answer.status == 400 && answer.errors == ["/parent unknown_reference"])
            let list = try await member.patch("risks", "r1", ["task_ids": ["t1", .string(id)]])
            #expect(list.status == 400 && list.errors == ["/task_ids unknown_reference"])
        }
        let stranger = other.caller(.member).userID
        let answer = try await member.patch("tasks", "t1", ["assignee": .int(stranger)])
        #expect(answer.errors == ["/assignee unknown_user"])
    }

    @Test func aLinkThatClosesACycleIsRefusedWithTheCycle() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["a", "b", "c"])
        let scheduler = try await scene.client(.scheduler)
        for (from, to) in [("a", "b"), ("b", "c")] {
            let link: JSON = ["predecessor": .string(from), "successor": .string(to)]
            #expect(try await scheduler.create("dependencies", link).status == 201)
        }
        let answer = try await scheduler.create("dependencies", ["predecessor": "c", "successor": "a"])
        #expect(answer.status == 400 && answer.code == "cyclic_dependency")
        #expect(answer.errors == ["/successor cyclic_dependency"])
        #expect(answer.at("/errors/0/detail")?.string?.contains("c -> a") ?? false)
        for id in ["a", "b", "c"] { #expect(answer.at("/detail")?.string?.contains(id) ?? false) }
    }

    @Test func whatIsUniqueIsSaidToBe() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let answer = try await member.create("sprint_retros", ["sprint": "s1"])
        #expect(answer.status == 400 && answer.errors == ["/sprint not_unique"])
        try await member.remove("sprint_retros", "re1")
        #expect(try await member.create("sprint_retros", ["sprint": "s1"]).status == 201)
    }

    @Test func aCalendarInUseStays() async throws {
        let scene = try await Scene()
        let admin = try await scene.client(.admin)
        let project = try await admin.read("projects", "p1")
        let calendar = try #require(project.at("/calendar")?.string)
        let refused = try await admin.remove("calendars", calendar)
        #expect(refused.status == 409 && refused.code == "in_use" && refused.errors == [" in_use"])
        #expect(try await admin.patch("projects", "p1", ["calendar": nil]).errors == ["/calendar required"])
        let other = try await admin.create("calendars", ["name": "Night shift", "timezone": "Europe/Oslo"])
        try await admin.patch("projects", "p1", ["calendar": other.at("/id")!])
        #expect(try await admin.remove("calendars", calendar).status == 204)
    }
}
