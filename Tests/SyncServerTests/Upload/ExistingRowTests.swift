import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// A sent row meets the row that the server has under its id: `docs/protocol.md#what-happens-to-a-row`.
@Suite struct ExistingRowTests {
    @Test func createdWhereTheRowIsLiveIsAnUpdate() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["notes": "server's"])
        let member = try await scene.client(.member)
        let answer = try await member.upload(created: [["id": "t1", "name": "B"]])
        #expect(answer.at("/applied/tasks/created") == [["id": "t1", "server_version": 2]])
        let task = try await member.task("t1")
        #expect(task?["name"] == "B")
        #expect(task?["notes"] == "server's")
    }

    @Test func createdWhereTheRowIsLiveChangesOnlyTheColumnsOfChanged() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"], ["notes": "server's"])
        let member = try await scene.client(.member)
        try await member.upload(created: [
            ["id": "t1", "name": "B", "notes": "mine", "duration": 9, "_changed": "name,duration"],
            ["id": "t2", "name": "B", "notes": "mine", "_changed": ""],
        ])
        let drain = try await member.drain(collections: "tasks")
        #expect(drain.row("tasks", "t1")?["name"] == "B")
        #expect(drain.row("tasks", "t1")?["duration"] == 9)
        #expect(drain.row("tasks", "t1")?["notes"] == "server's")
        #expect(drain.row("tasks", "t2")?["name"] == "Task t2")
        #expect(drain.row("tasks", "t2")?["server_version"] == 1)
    }

    @Test func updatedWhereTheRowIsUnknownCreatesItWhole() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let row: JSON = ["id": "t1", "name": "A", "notes": "N", "_changed": "notes", "_status": "updated"]
        let answer = try await member.upload(updated: [row])
        #expect(answer.at("/applied/tasks/updated") == [["id": "t1", "server_version": 1]])
        let task = try await member.task("t1")
        #expect(task?["name"] == "A")
        #expect(task?["notes"] == "N")
    }

    @Test func updatedWhereTheRowIsUnknownNeedsWhatANewRowNeeds() async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(updated: [["id": "t1", "notes": "N"]])
        #expect(answer.status == 400)
        #expect(answer.errors == ["/changes/tasks/updated/0/name required"])
    }

    @Test func createdOrUpdatedOnATombstoneIsSkippedAndTheTombstoneComesAgain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        try await member.upload(deleted: ["t1", "t2"])
        let drain = try await member.drain()
        let answer = try await member.upload(
            created: [["id": "t1", "name": "Back"]], updated: [["id": "t2", "name": "Back"]])
        #expect(answer.status == 200)
        #expect(answer.at("/skipped/tasks") == [["id": "t1", "code": "deleted"], ["id": "t2", "code": "deleted"]])
        #expect(answer.at("/applied/tasks") == ["created": [], "updated": [], "deleted": []])

        let next = try await member.drain(since: drain.timestamp)
        #expect(next.rows.isEmpty)
        #expect(next.isDeleted("tasks", "t1") && next.isDeleted("tasks", "t2"))
        #expect(answer.at("/timestamp") == .int(next.timestamp))
    }

    @Test func aTombstoneIsSkippedThoughTheRowSentIsBad() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.upload(deleted: ["t1"])
        let answer = try await member.upload(updated: [["id": "t1", "status": "NOPE"]])
        #expect(answer.status == 200)
        #expect(answer.at("/skipped/tasks/0/code") == "deleted")
    }

    @Test func deletedWhereTheRowIsUnknownIsSkippedAndASuccess() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(deleted: ["never"])
        #expect(answer.status == 200)
        #expect(answer.at("/skipped/tasks/0/id") == "never")
        #expect(answer.at("/applied/tasks/deleted") == [])
        #expect(answer.at("/timestamp") == .int(head))
    }

    @Test func deletedWhereTheRowIsGoneIsSkippedAndTheTombstoneComesAgain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let head = try #require(try await member.upload(deleted: ["t1"]).at("/timestamp")?.int)
        let answer = try await member.upload(deleted: ["t1"])
        #expect(answer.status == 200)
        #expect(answer.at("/skipped/tasks/0/id") == "t1")
        #expect(try await member.drain(since: head).isDeleted("tasks", "t1"))
    }

    @Test func deletedWhereTheRowIsAnotherProjectsIsSkippedAndDisclosesNothing() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await other.edit { try $0.insert("tasks", "theirs", ["name": "Theirs"]) }
        let member = try await scene.client(.member)
        let unknown = try await member.upload(deleted: ["never"])
        let foreign = try await member.upload(deleted: ["theirs"])
        #expect(foreign.status == 200)
        #expect(foreign.at("/skipped/tasks/0/code") == unknown.at("/skipped/tasks/0/code"))
        #expect(foreign.at("/timestamp") == unknown.at("/timestamp"))
        let there = Client(server: scene.server, project: "p2", token: try await scene.client(named: "owner-p2").token)
        #expect(try await there.task("theirs")?["server_version"] == 1)
    }

    @Test func anIDOfAnotherProjectIsUnavailableAndDisclosesNothing() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await other.edit { editor in
            try editor.insert("tasks", "live", ["name": "Secret"])
            try editor.insert("tasks", "dead", ["name": "Secret"])
        }
        try await other.edit { try $0.delete("tasks", "dead") }
        let member = try await scene.client(.member)
        let head = try await member.head()
        for id in ["live", "dead"] {
            for answer in [
                try await member.upload(created: [["id": .string(id), "name": "Mine"], ["id": "ok", "name": "A"]]),
                try await member.upload(created: [["id": "ok", "name": "A"]], updated: [["id": .string(id)]]),
            ] {
                #expect(answer.status == 409)
                #expect(answer.code == "id_unavailable")
                #expect(answer.at("/errors/0/id") == .string(id))
                #expect(!answer.text.contains("Secret") && !answer.text.contains("p2"))
            }
        }
        #expect(try await member.head() == head)
    }

    @Test func idsAreComparedByteForByte() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let ids: [JSON] = ["abc", "ABC", "Abc", "a.b-c_d", "0", "00"]
        try await member.upload(created: ids.map { ["id": $0, "name": $0] })
        let drain = try await member.drain(collections: "tasks")
        #expect(drain.ids("tasks") == Set(ids.compactMap(\.string)))
        for id in ids.compactMap(\.string) { #expect(drain.row("tasks", id)?["name"] == .string(id)) }
    }

    @Test(arguments: ["", ".a", "-a", "_a", "a b", "a/b", "ä", "a\u{0}", "a\"b"] as [String])
    func anIDThatBreaksTheRuleIsRefused(id: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(created: [["id": .string(id), "name": "A"]])
        #expect(answer.status == 400)
        #expect(answer.errors == ["/changes/tasks/created/0 invalid_id"])
    }

    @Test func anIDHasAtMost64Characters() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let longest = String(repeating: "x", count: 64)
        #expect(try await member.upload(created: [["id": .string(longest), "name": "A"]]).status == 200)
        #expect(try await member.upload(created: [["id": .string(longest + "x"), "name": "A"]]).status == 400)
    }
}
