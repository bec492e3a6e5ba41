import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// `pushChanges` as WatermelonDB's documentation writes it: the bare `changes` as the body, the watermark in the query.
@Suite struct StockPushTests {
    private static let empty: JSON = ["created": [], "updated": [], "deleted": []]

    /// A whole row as the client has it.
    private func row(_ id: String, status: String, changed: String = "", _ fields: [String: JSON] = [:]) -> JSON {
        let whole: [String: JSON] = [
            "id": .string(id), "_status": .string(status), "_changed": .string(changed), "server_version": 0,
            "short_id": "", "project": "", "name": "Mine", "duration": 1, "is_milestone": false, "is_subtask": 0,
            "modified_at": 1_750_000_000_000, "notes": "",
        ]
        return .object(whole.merging(fields) { $1 })
    }

    private func changes(created: [JSON] = [], updated: [JSON] = [], deleted: [JSON] = []) -> JSON {
        [
            "tasks": ["created": .array(created), "updated": .array(updated), "deleted": .array(deleted)],
            "projects": Self.empty, "risks": Self.empty, "drafts_of_the_app": Self.empty,
        ]
    }

    @discardableResult
    private func push(_ client: Client, since: Int64, _ changes: JSON) async throws -> Answer {
        try await client.send("POST", client.syncPath + "?last_pulled_at=\(since)", changes.data)
    }

    @Test func theBareChangesAreApplied() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let answer = try await push(
            member, since: try await member.head(),
            changes(
                created: [row("new", status: "created")],
                updated: [row("t1", status: "updated", changed: "name", ["name": "Edited", "notes": "not this"])],
                deleted: ["t2"]))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/client_batch_id") == .null)
        let drain = try await member.drain(collections: "tasks")
        #expect(drain.row("tasks", "new")?["name"] == "Mine")
        #expect(drain.row("tasks", "new")?["modified_at"] == "2025-06-15T15:06:40.000Z")
        #expect(drain.row("tasks", "t1")?["name"] == "Edited")
        #expect(drain.row("tasks", "t1")?["notes"] == "")
        #expect(drain.isDeleted("tasks", "t2"))
    }

    @Test func aRetryBehindALostAnswerChangesNothing() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let since = try await member.head()
        let changes = changes(
            created: [row("new", status: "created")],
            updated: [row("t1", status: "updated", changed: "name", ["name": "Edited"])], deleted: ["t2"])
        try await push(member, since: since, changes)
        let before = try await member.drain(collections: "tasks")
        let again = try await push(member, since: since, changes)
        #expect(again.status == 200, "\(again.text)")
        #expect(again.header("Idempotent-Replayed") == nil)
        let after = try await member.drain(collections: "tasks")
        #expect(after.rows == before.rows)
        #expect(after.deleted == before.deleted)
    }

    @Test func aRowThatSomebodyElseChangedFailsThePushUntilThePull() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let since = try await member.head()
        try await admin.upload(updated: [["id": "t1", "name": "Theirs"]])
        let changes = changes(
            created: [row("new", status: "created")],
            updated: [row("t1", status: "updated", changed: "name", ["name": "Mine"])])
        let refused = try await push(member, since: since, changes)
        #expect(refused.status == 409)
        #expect(refused.code == "conflict")
        #expect(refused.at("/errors/0/pointer") == "/tasks/updated/0")
        #expect(try await member.task("new") == nil)
        #expect(try await push(member, since: try await member.head(), changes).status == 200)
        #expect(try await member.task("t1")?["name"] == "Mine")
    }

    @Test func onesOwnPushIsNoConflict() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let since = try await member.head()
        for name in ["A", "B"] {
            let row = row("t1", status: "updated", changed: "name", ["name": .string(name)])
            #expect(try await push(member, since: since, changes(updated: [row])).status == 200)
        }
        #expect(try await member.task("t1")?["name"] == "B")
    }

    @Test func rowsOfOtherCollectionsAreRefused() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for (name, bucket) in [
            ("memberships", ["created": [["id": "m9"]], "updated": [], "deleted": []] as JSON),
            ("drafts_of_the_app", ["created": [], "updated": [], "deleted": ["d1"]]), ("projects", 7),
        ] {
            var changes = try #require(changes(created: [row("new", status: "created")]).object)
            changes[name] = bucket
            let answer = try await push(member, since: 0, .object(changes))
            #expect(answer.status == 400)
            #expect(answer.code == "collection_not_uploadable")
        }
        #expect(try await member.task("new") == nil)
    }

    @Test func anErrorPointsIntoTheBareBody() async throws {
        let scene = try await Scene()
        let bad = row("new", status: "created", ["duration": "long"])
        let answer = try await push(try await scene.client(.member), since: 0, changes(created: [bad]))
        #expect(answer.status == 400)
        #expect(answer.at("/errors/0/pointer") == "/tasks/created/0/duration")
    }

    @Test(arguments: ["null", "", "0"]) func aPushWithoutAWatermarkIsTaken(watermark: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let body = changes(created: [row("new", status: "created")]).data
        let answer = try await member.send("POST", member.syncPath + "?last_pulled_at=\(watermark)", body)
        #expect(answer.status == 200)
        #expect(try await member.task("new") != nil)
    }

    @Test func theWatermarkIsJudgedAsInAPull() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await push(member, since: 900, changes()).code == "since_ahead")
        let path = member.syncPath + "?last_pulled_at=soon"
        #expect(try await member.send("POST", path, changes().data).code == "invalid_since")
        #expect(try await push(member, since: 0, []).code == "invalid_body")
        #expect(try await member.send("POST", member.syncPath, changes().data).code == "invalid_batch_id")
    }

    @Test func aViewerMayNotPush() async throws {
        let scene = try await Scene()
        let answer = try await push(
            try await scene.client(.viewer), since: 0, changes(created: [row("new", status: "created")]))
        #expect(answer.status == 403)
    }
}
