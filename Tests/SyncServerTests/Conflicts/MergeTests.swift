import Foundation
import SyncEngine
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// `on_conflict: merge`.
@Suite struct MergeTests {
    @Test(arguments: [true, false])
    func editsOfDifferentFieldsBothSurvive(namesColumns: Bool) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.namesColumns = namesColumns
        two.namesColumns = namesColumns
        one.edit("t1", ["name": "One's", "modified_at": "2026-06-01T10:00:00.000Z"])
        two.edit("t1", ["percent_complete": 50, "modified_at": "2026-06-01T09:00:00.000Z"])
        for answer in [try await one.push("merge"), try await two.push("merge")] {
            #expect(answer.status == 200 && answer.at("/conflicts") == [:], "\(answer.text)")
            #expect(answer.at("/applied/tasks/updated")?.array?.count == 1)
        }
        let task = try await two.client.task("t1")
        #expect(task?["name"] == "One's" && task?["percent_complete"] == 50)
        #expect(task?["modified_at"] == "2026-06-01T10:00:00.000Z")
        #expect(try await one.client.inbox().isEmpty)
        #expect(try await two.client.inbox().isEmpty)
    }

    @Test func underOverwriteNamedColumnsBothSurvive() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.namesColumns = true
        two.namesColumns = true
        one.edit("t1", ["name": "One's"])
        two.edit("t1", ["percent_complete": 50])
        try await one.push("overwrite")
        try await two.push("overwrite")
        let task = try await two.client.task("t1")
        #expect(task?["name"] == "One's" && task?["percent_complete"] == 50)
    }

    @Test func editsOfTheSameFieldLeaveTheRowAloneAndAreReported() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.edit("t1", ["name": "One's"])
        two.edit("t1", ["name": "Two's", "percent_complete": 50])
        try await one.push("merge")
        let answer = try await two.push("merge")
        #expect(answer.status == 200 && answer.at("/applied/tasks/updated") == [])
        #expect(
            answer.at("/conflicts/tasks") == [
                [
                    "id": "t1", "fields": ["name"], "server_version": 2, "server_values": ["name": "One's"],
                    "client_values": ["name": "Two's"],
                ]
            ])
        #expect(
            try await two.client.inbox() == ["name conflict \"Two's\" \"One's\"", "percent_complete conflict 50 0"])
        try await two.pull()
        #expect(two.rows["t1"]?["name"] == "One's" && two.rows["t1"]?["server_version"] == 2)
        two.edit("t1", ["name": "Two's"])
        let second = try await two.push("merge")
        #expect(second.at("/conflicts") == [:])
        #expect(try await two.client.task("t1")?["name"] == "Two's")
    }

    @Test func aReplayTellsTheSameConflictAndFillsTheInboxOnce() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.edit("t1", ["name": "One's"])
        try await one.push("merge")
        let batch = UUID().uuidString
        let members: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(two.since)]
        let rows: [JSON] = [["id": "t1", "name": "Two's"]]
        let first = try await two.client.upload(updated: rows, batch: batch, members: members)
        let again = try await two.client.upload(updated: rows, batch: batch, members: members)
        #expect(first.status == 200 && first.body == again.body)
        #expect(try await two.client.inbox().count == 1)
        try await two.pull()
        #expect(two.rows["t1"]?["name"] == "One's")
    }

    @Test func bothSettingTheSameValueIsNoConflict() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var (one, two) = try await (EditingPhone(scene.client(.member)), EditingPhone(scene.client(.admin)))
        one.edit("t1", ["percent_complete": 50])
        two.edit("t1", ["percent_complete": 50])
        try await one.push("merge")
        #expect(try await two.push("merge").at("/conflicts") == [:])
        #expect(try await two.client.task("t1")?["server_version"] == 2)
    }

    @Test func aWholeRowThatIsOutOfDateIsDeliveredAgain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let (one, two) = try await (EditingPhone(scene.client(.member)), scene.client(.admin))
        try await two.upload(updated: [["id": "t1", "name": "Two's"]])
        let since = try await two.head()
        let stale: JSON = ["id": "t1", "name": "Task t1", "base_version": 1]
        let answer = try await one.client.upload(updated: [stale], members: ["on_conflict": "merge"])
        #expect(answer.at("/applied/tasks/updated/0/server_version") == 2)
        #expect(try await one.client.drain(since: since).row("tasks", "t1")?["name"] == "Two's")
    }

    // MARK: What the caller knows

    @Test func whatADeviceWroteItselfIsInNoConflictWithIt() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let tokens = try await [scene.client(.member), scene.client(.member)]
        let base: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(try await tokens[0].head())]
        func push(_ token: Int, _ device: String?, _ name: String) async throws -> JSON? {
            let members = base.merging(["device_id": device.map(JSON.string) ?? .null]) { $1 }
            return try await tokens[token].upload(updated: [["id": "t1", "name": .string(name)]], members: members)
                .at("/conflicts")
        }
        #expect(try await push(0, nil, "a") == [:])
        #expect(try await push(0, nil, "b") == [:], "the same credential")
        #expect(try await push(0, "phone", "c") == [:], "one of them names no device: the credential counts")
        #expect(try await push(1, nil, "d") != [:], "another credential")
        let head = try await tokens[0].head()
        let fresh: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(head)]
        for (token, device, isKnown) in [(0, "phone", true), (1, "phone", true), (1, "tablet", false)] {
            let answer = try await tokens[token].upload(
                updated: [["id": "t1", "name": .string("\(token) \(device)")]],
                members: fresh.merging(["device_id": .string(device)]) { $1 })
            #expect((answer.at("/conflicts") == [:]) == isKnown)
        }
    }

    @Test func aDeviceOfAnotherUserIsAnotherDevice() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var one = try await EditingPhone(scene.client(.member), device: "phone")
        var two = try await EditingPhone(scene.client(.admin), device: "phone")
        one.edit("t1", ["name": "One's"])
        two.edit("t1", ["name": "Two's"])
        try await one.push("merge")
        #expect(try await two.push("merge").at("/conflicts/tasks/0/id") == "t1")
    }

    @Test func itsOwnCreateIsKnownToAPhoneThatNeverPulledIt() async throws {
        let scene = try await Scene()
        var phone = try await EditingPhone(scene.client(.member))
        let members: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(phone.since)]
        try await phone.client.upload(created: [["id": "n1", "name": "New"]], members: members)
        let other = try await scene.client(.admin)
        try await other.patch("tasks", "n1", ["percent_complete": 10])
        let answer = try await phone.client.upload(
            created: [["id": "n1", "name": "Newer", "percent_complete": 0]], members: members)
        #expect(answer.at("/conflicts") == [:], "\(answer.text)")
        try await phone.pull()
        #expect(phone.rows["n1"]?["name"] == "Newer" && phone.rows["n1"]?["percent_complete"] == 10)
        let third = try await scene.client(.scheduler).upload(
            created: [["id": "n1", "name": "Mine"]], members: members)
        #expect(third.at("/conflicts/tasks/0/fields") == ["name"])
    }

    /// It does not matter in which mode, or by which request, the value was sent.
    @Test(arguments: ["merge", "overwrite", "baseless", "newest", "rest"])
    func aValueThatWasSentAndFoundToBeSoIsKnownToItsSender(way: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["notes": "0"])
        let phone = try await EditingPhone(scene.client(.member))
        let base: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(phone.since)]
        try await scene.client(.admin).patch("tasks", "t1", ["notes": "1"])
        let row = try #require(phone.rows["t1"])
        let same = row.setting(["notes": "1"])
        switch way {
        case "rest": #expect(try await phone.client.patch("tasks", "t1", ["notes": "1"]).status == 200)
        case "baseless": #expect(try await phone.client.upload(updated: [same]).status == 200)
        default:
            let members = base.merging(["on_conflict": .string(way)]) { $1 }
            let first = try await phone.client.upload(updated: [same], members: members)
            #expect(first.at("/applied/tasks/updated/0/server_version") == 2, "\(first.text)")
        }
        let second = try await phone.client.upload(updated: [row], members: base)
        #expect(second.at("/conflicts") == [:], "\(second.text)")
        #expect(try await phone.client.task("t1")?["notes"] == "0", "the edit from 1 back to 0 is an edit")
    }

    /// The row is in conflict because of another field.
    @Test func whatARowInConflictHadRightIsKnownToItsSender() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["notes": "0"])
        let phone = try await EditingPhone(scene.client(.member))
        let base: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(phone.since)]
        try await scene.client(.admin).patch("tasks", "t1", ["notes": "1", "name": "Theirs"])
        let row = try #require(phone.rows["t1"])
        let first = try await phone.client.upload(
            updated: [row.setting(["notes": "1", "name": "Mine"])], members: base)
        #expect(first.at("/conflicts/tasks/0/fields") == ["name"])
        let second = try await phone.client.upload(updated: [["id": "t1", "notes": "0"]], members: base)
        #expect(second.at("/applied/tasks/updated/0/server_version") == 3, "\(second.text)")
        #expect(try await phone.client.task("t1")?["notes"] == "0")
    }

    @Test func whatOneDeviceFoundToBeSoIsNotKnownToAnother() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["notes": "0"])
        let phone = try await EditingPhone(scene.client(.member))
        let base: [String: JSON] = ["on_conflict": "merge", "last_pulled_at": .int(phone.since)]
        try await scene.client(.admin).patch("tasks", "t1", ["notes": "1"])
        let row = try #require(phone.rows["t1"])
        let (here, there) = (base.setting("device_id", "here"), base.setting("device_id", "there"))
        try await phone.client.upload(updated: [row.setting(["notes": "1"])], members: here)
        let other = try await phone.client.upload(updated: [row.setting(["_changed": "notes"])], members: there)
        #expect(other.at("/conflicts/tasks/0/fields") == ["notes"])
        let own = try await phone.client.upload(updated: [row.setting(["_changed": "notes"])], members: here)
        #expect(own.at("/conflicts") == [:], "\(own.text)")
    }

    // MARK: The history

    @Test func aBaseFromBeforeTheHistoryIsAConflict() async throws {
        var settings = SyncSettings()
        settings.historyRetentionDays = 10
        let scene = try await Scene(settings: settings)
        try await scene.insertTasks(["t1", "t2"])
        var phone = try await EditingPhone(scene.client(.member))
        let other = try await scene.client(.admin)
        try await other.patch("tasks", "t1", ["percent_complete": 10, "planned_start": "2026-02-02"])
        scene.clock.advance(by: .seconds(11 * 86_400))
        try await RecordPurge(
            store: scene.bench.store, clock: scene.clock.wallClock, retention: settings.uploadRetention
        ).purge()
        phone.edit("t1", ["name": "Offline"])
        phone.edit("t2", ["name": "Offline"])
        let answer = try await phone.push("merge")
        #expect(answer.at("/conflicts/tasks/0/id") == "t1" && answer.at("/conflicts/tasks")?.array?.count == 1)
        #expect(answer.at("/applied/tasks/updated")?.array?.map { $0["id"] ?? .null } == ["t2"])
        #expect(try await phone.client.task("t1")?["percent_complete"] == 10)
        let cleared = try await phone.client.upload(
            updated: [["id": "t1", "planned_start": nil, "base_version": 1]], members: ["on_conflict": "merge"])
        #expect(cleared.at("/conflicts/tasks/0/fields") == ["planned_start"])
        let exact = try await phone.client.upload(
            updated: [["id": "t1", "name": "Offline", "base_version": 1]], members: ["on_conflict": "merge"])
        #expect(exact.at("/conflicts/tasks/0/id") == "t1")
        let current = try await phone.client.upload(
            updated: [["id": "t1", "name": "Offline", "base_version": 2]], members: ["on_conflict": "merge"])
        #expect(current.at("/conflicts") == [:])
    }

    @Test func aVersionThatNeverWasIsAConflict() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let answer = try await scene.client(.member).upload(
            updated: [["id": "t1", "name": "X", "base_version": 7]], members: ["on_conflict": "merge"])
        #expect(answer.at("/conflicts/tasks/0/id") == "t1")
    }

    @Test(arguments: ["merge", "reject"])
    func anEditWithoutABaseIsRefused(mode: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let row: JSON = ["id": "t1", "name": "X"]
        let refused = try await member.upload(updated: [row], members: ["on_conflict": .string(mode)])
        #expect(refused.status == 400 && refused.code == "base_required")
        let based = try await member.upload(
            updated: [row.setting(["base_version": 1])], members: ["on_conflict": .string(mode)])
        #expect(based.status == 200)
        let delete = try await member.upload(deleted: ["t1"], members: ["on_conflict": .string(mode)])
        #expect(delete.status == 200)
        let odd = try await member.upload(updated: [row.setting(["base_version": "1"])])
        #expect(odd.errors == ["/changes/tasks/updated/0 wrong_type"])
    }

    @Test func deletesNeverConflict() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let phone = try await EditingPhone(scene.client(.member))
        try await scene.client(.admin).patch("tasks", "t1", ["name": "Changed"])
        for mode in ["merge", "reject"] {
            let answer = try await phone.client.upload(
                deleted: ["t1"], members: ["on_conflict": .string(mode), "last_pulled_at": .int(phone.since)])
            #expect(answer.status == 200)
        }
        #expect(try await phone.client.task("t1") == nil)
    }
}

extension [String: JSON] {
    fileprivate func setting(_ name: String, _ value: JSON) -> Self { merging([name: value]) { $1 } }
}
