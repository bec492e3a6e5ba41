import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// `on_error: repair`: slightly wrong values are corrected, and the sender learns of it.
@Suite struct RepairTests {
    private let mode: [String: JSON] = ["on_error": "repair"]

    @Test(
        arguments: [
            ("status", "", "NOT_STARTED"), ("status", "SOON", "NOT_STARTED"), ("percent_complete", 130, 100),
            ("percent_complete", -1.5, 0), ("duration", -3, 0), ("planned_start", "tomorrow", nil),
            ("planned_start", "", nil), ("notes", "a\u{0}b", "ab"),
            ("wbs_path", .string(String(repeating: "ä", count: 300)), .string(String(repeating: "ä", count: 255))),
        ] as [(String, JSON, JSON)])
    func aSlightlyWrongValueIsPutRightAndListed(field: String, sent: JSON, stored: JSON) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], [field: field == "percent_complete" ? 50 : scene.fallback(field)])
        let member = try await scene.client(.member)
        let since = try await member.head()
        let answer = try await member.upload(updated: [.object(["id": "t1", field: sent])], members: mode)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/repaired/tasks") == [["id": "t1", "field": .string(field), "from": sent, "to": stored]])
        #expect(try await member.drain(since: since).row("tasks", "t1")?[field] == stored)
    }

    @Test func whatCantBePutRightIsRefusedAsARow() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(
            created: [["id": "t1", "name": 7], ["id": "t2", "name": "B", "status": "NOPE"]], members: mode)
        #expect(answer.status == 200 && answer.at("/rejected_ids/tasks") == ["t1"])
        #expect(try await member.drain().ids("tasks") == ["t2"])
    }
}

extension Scene {
    fileprivate func fallback(_ field: String) -> JSON { registry["tasks"]?.field(field)?.fallback ?? .null }
}
