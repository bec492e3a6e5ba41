import SyncProtocol
import SyncTestKit
import Testing

/// WatermelonDB's own push with `on_error` in the query: a row that can't be accepted does not hold up the others.
@Suite struct StockErrorModeTests {
    /// What an app pushes: every table that it has, of which most are empty.
    private static let changes: JSON = [
        "tasks": [
            "created": [["id": "t9", "name": "New", "_status": "created", "_changed": ""]], "updated": [],
            "deleted": [],
        ],
        "dependencies": [
            "created": [["id": "d9", "predecessor": "t1", "successor": "t9", "_status": "created", "_changed": ""]],
            "updated": [], "deleted": [],
        ],
        "risks": [
            "created": [], "deleted": [],
            "updated": [
                [
                    "id": "r1", "probability": 9, "title": "Edited", "_status": "updated",
                    "_changed": "probability,title",
                ]
            ],
        ],
        "projects": ["created": [], "updated": [], "deleted": []],
        "drafts": ["created": [], "updated": [], "deleted": []],
    ]

    private func push(_ mode: String, _ changes: JSON = changes) async throws -> (Scene, Client, Answer) {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let path = member.syncPath + "?last_pulled_at=\(try await member.head())" + mode
        return (scene, member, try await member.send("POST", path, changes.data))
    }

    @Test func rowsThatCantBeAcceptedAreLeftOutAndNamed() async throws {
        let (_, member, answer) = try await push("&on_error=reject_rows")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/rejected_ids") == ["dependencies": ["d9"]])
        #expect(answer.at("/applied/tasks/created/0/id") == "t9")
        #expect(answer.at("/rejected/risks/0/code") == "out_of_range")
        let sent = try await member.inbox()
        #expect(sent.contains { $0.hasPrefix("- forbidden {") && $0.contains("\"predecessor\":\"t1\"") }, "\(sent)")
        #expect(
            sent.contains("probability out_of_range 9 1") && sent.contains("title out_of_range \"Edited\" \"Risk\""))
    }

    @Test func aRepairAcceptsMore() async throws {
        let (_, member, answer) = try await push("&on_error=repair")
        #expect(answer.at("/repaired/risks/0/to") == 5, "\(answer.text)")
        #expect(answer.at("/rejected_ids") == ["dependencies": ["d9"]])
        #expect(try await member.drain().row("risks", "r1")?["title"] == "Edited")
    }

    @Test(arguments: ["", "&on_error=reject_batch"]) func withoutItTheWholePushFails(mode: String) async throws {
        let (_, member, answer) = try await push(mode)
        #expect(answer.verdict == "400 invalid_rows")
        #expect(answer.errors == ["/dependencies/created/0 forbidden", "/risks/updated/0/probability out_of_range"])
        #expect(try await member.task("t9") == nil)
    }

    @Test func aRowThatCantBeReadKeepsItsPlace() async throws {
        let rows: JSON = ["created": [["name": "No id"]], "updated": [], "deleted": [["id": "t1"]]]
        let (_, member, answer) = try await push("&on_error=reject_rows", ["tasks": rows])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/rejected/tasks")?.array?.count == 2)
        // The row that was sent in `deleted` is there, so it is delivered again.
        #expect(answer.at("/rejected_ids") == [:])
        #expect(try await member.inbox().contains("- invalid_id {\"name\":\"No id\"} null"))
    }

    @Test(arguments: ["?last_pulled_at=0&on_error=nope", "?on_error=repair", "?last_pulled_at=0&on_error="])
    func aModeThatCantBeTakenIsRefused(query: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send("POST", member.syncPath + query, Batch.empty.data)
        #expect(answer.verdict == "400 invalid_parameter", "\(answer.text)")
    }
}
