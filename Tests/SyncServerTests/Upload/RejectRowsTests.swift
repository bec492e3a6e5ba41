import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// `on_error: reject_rows`: good rows are applied, bad ones are named, and the sender's copy is corrected.
@Suite struct RejectRowsTests {
    private let mode: [String: JSON] = ["on_error": "reject_rows"]

    @Test func threeBadRowsOfFiveHundredAreNamedAndTheOthersApply() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["there"])
        let member = try await scene.client(.member)
        let before = try await member.drain()
        var created: [JSON] = (0..<497).map { ["id": .string("t\($0)"), "name": "Task"] }
        created.insert(["id": "bad-status", "name": "Task", "status": "NOPE"], at: 100)
        created.append(["id": "bad-name", "name": 7])
        let updated: [JSON] = [["id": "there", "percent_complete": 101]]
        let batch = UUID().uuidString
        let answer = try await member.upload(created: created, updated: updated, batch: batch, members: mode)
        #expect(answer.status == 200)
        #expect(answer.at("/applied/tasks/created")?.array?.count == 497)
        #expect(answer.at("/applied/tasks/updated") == [])
        let rejected = answer.at("/rejected/tasks")?.array ?? []
        let reasons = rejected.map { ($0["id"]?.string ?? "") + " " + ($0["code"]?.string ?? "") }
        #expect(Set(reasons) == ["bad-status not_in_enum", "bad-name wrong_type", "there out_of_range"])
        #expect(Set(answer.at("/rejected_ids/tasks")?.strings ?? []) == ["bad-status", "bad-name"])

        let after = try await member.drain(since: before.timestamp)
        #expect(after.ids("tasks").count == 498)
        #expect(after.row("tasks", "there") == before.row("tasks", "there"))
        let again = try await member.upload(created: created, updated: updated, batch: batch, members: mode)
        #expect(again.body == answer.body && again.header("Idempotent-Replayed") == "true")
    }

    @Test func whatHangsOnARefusedRowIsRefusedWithIt() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let deep: [JSON] = (1..<60).map {
            ["id": .string("c\($0)"), "name": "Child", "parent": .string("c\($0 - 1)")]
        }
        let rows = deep.reversed() + [["id": "c0", "name": "Root", "duration": -1], ["id": "free", "name": "Free"]]
        let answer = try await member.upload(created: rows, members: mode)
        #expect(answer.status == 200)
        #expect(try await member.drain().ids("tasks") == ["free"])
        #expect(answer.at("/rejected_ids/tasks")?.array?.count == 60)
        let reasons = Set((answer.at("/rejected/tasks")?.array ?? []).compactMap { $0["code"]?.string })
        #expect(reasons == ["out_of_range", "unknown_reference"])
    }

    @Test func aRefusedEditAndATombstoneAreDeliveredAgain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "gone"])
        try await scene.bench.edit { try $0.delete("tasks", "gone") }
        let member = try await scene.client(.member)
        let since = try await member.head()
        let answer = try await member.upload(
            updated: [
                ["id": "t1", "early_start": "2026-01-05"], ["id": "t2", "parent": "t2"], ["id": "gone", "name": "X"],
            ], members: mode)
        #expect(answer.status == 200 && answer.at("/rejected_ids") == [:])
        let drain = try await member.drain(since: since)
        #expect(drain.ids("tasks") == ["t1", "t2"] && drain.isDeleted("tasks", "gone"))
        #expect(drain.row("tasks", "t1")?["server_version"] == 1)
    }

    @Test func allEditsOfARefusedRowAreLeftOut() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(
            created: [["id": "t1", "name": "Good"]], updated: [["id": "t1", "name": 7]], members: mode)
        #expect(answer.status == 200 && answer.at("/applied/tasks/created") == [])
        #expect(answer.at("/rejected_ids/tasks") == ["t1"])
        #expect(try await member.drain().ids("tasks").isEmpty)
    }

    @Test func aRowThatCantBeReadIsPutRightLikeAnyOther() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let since = try await member.head()
        let answer = try await member.upload(
            created: [["id": "-nano", "name": "X"], ["id": "n1", "name": "Y", "base_version": 0]],
            updated: [["id": "t1", "name": "Z", "base_version": "1"]], deleted: ["-gone"], members: mode)
        #expect(answer.status == 200 && answer.at("/rejected/tasks")?.array?.count == 4)
        #expect(answer.at("/rejected_ids/tasks") == ["-nano", "n1"])
        #expect(try await member.drain(since: since).ids("tasks") == ["t1"])
    }

    @Test func aRowWithoutAValidIDIsNamedAndAnIDThatComesTwiceFailsTheBatch() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let rows: [JSON] = [["id": "t1", "name": "A"], ["id": "-", "name": "B"], ["name": "C"]]
        let answer = try await member.upload(created: rows, members: mode)
        #expect(answer.status == 200 && answer.at("/rejected/tasks")?.array?.count == 2)
        let twice = try await member.upload(created: rows + [["id": "t1", "name": "D"]], members: mode)
        #expect(twice.status == 400 && twice.errors.contains { $0.hasSuffix("duplicate_id") })
    }

    /// A fuzzer found this: the refusal did not name the row.
    @Test func aRowInDeletedIsRefusedByItsID() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let before = try await member.drain()
        let answer = try await member.upload(deleted: [["id": "t1"]], members: mode)
        let detail = JSON.string("deleted takes ids, not rows.")
        #expect(
            answer.at("/rejected/tasks") == [["id": "t1", "field": nil, "code": "invalid_id", "detail": detail]])
        #expect(try await member.drain(since: before.timestamp).ids("tasks") == ["t1"])
    }

    @Test func aForeignIDIsNamedAndNothingOfItsRowIsToldOrTouched() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await other.edit { try $0.insert("tasks", "theirs", ["name": "Secret"]) }
        let member = try await scene.client(.member)
        let answer = try await member.upload(created: [["id": "theirs", "name": "Mine"]], members: mode)
        #expect(answer.status == 200 && answer.at("/rejected_ids/tasks") == ["theirs"])
        #expect(!answer.text.contains("Secret"))
        let row = try await other.store.read { try $0.record(RowKey("tasks", "theirs")) }
        #expect(row?.version == .first)
    }

    @Test func aBatchWithoutAGoodRowIsASuccessThatRefusesAll() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(created: [["id": "t1"]], members: mode)
        #expect(answer.status == 200 && answer.at("/timestamp") == .int(head))
        #expect(answer.at("/rejected/tasks/0/code") == "required")
    }

    @Test(arguments: ["", "ignore", "REPAIR"]) func anUnknownModeIsRefused(mode: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(members: ["on_error": .string(mode)])
        #expect(answer.status == 400 && answer.code == "invalid_body")
    }
}
