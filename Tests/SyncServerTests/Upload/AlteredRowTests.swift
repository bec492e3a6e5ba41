import SyncProtocol
import SyncTestKit
import Testing

/// What a 200 did not store as sent comes with the sender's next drain, in every mode.
@Suite struct AlteredRowTests {
    private static let modes: [[String: JSON]] = [
        [:], ["on_error": "reject_rows"], ["on_error": "repair"], ["on_conflict": "merge"], ["on_conflict": "newest"],
        ["on_conflict": "reject"],
    ]

    /// Uploads a row of an existing task, and returns whether the next drain delivers it.
    private func comesAgain(_ row: JSON, _ members: [String: JSON]) async throws -> Bool {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["modified_at": "2026-06-01T11:00:00.123Z"])
        let member = try await scene.client(.member)
        let since = try await member.head()
        let all = members.merging(["last_pulled_at": .int(since)]) { $1 }
        let answer = try await member.upload(updated: [row.setting(["id": "t1"])], members: all)
        #expect(answer.status == 200 && answer.at("/applied/tasks/updated/0/id") == "t1", "\(answer.text)")
        return try await member.drain(since: since).row("tasks", "t1") != nil
    }

    @Test(arguments: modes) func anInstantThatIsCutOrWrittenOtherwiseComesAgain(mode: [String: JSON]) async throws {
        for text in ["2026-06-01T11:00:00.12345Z", "2026-06-01T13:00:00.123+02:00"] {
            #expect(try await comesAgain(["modified_at": .string(text)], mode), "\(text)")
        }
        #expect(try await !comesAgain(["modified_at": "2026-06-01T11:00:00.123Z"], mode))
    }

    @Test(arguments: modes) func aPartOfAMillisecondComesAgain(mode: [String: JSON]) async throws {
        let mode = mode.merging(["encoding": "watermelondb"]) { $1 }
        #expect(try await comesAgain(["modified_at": 1_780_311_600_123.5], mode))
        #expect(try await !comesAgain(["modified_at": 1_780_311_600_123], mode))
    }

    @Test(arguments: modes) func aServersColumnOfAnotherValueComesAgain(mode: [String: JSON]) async throws {
        #expect(try await comesAgain(["short_id": "MINE"], mode))
        #expect(try await comesAgain(["project": "p2"], mode))
        #expect(try await !comesAgain(["project": "p1", "server_version": 7, "_status": "updated"], mode))
    }

    /// The adapter leaves out what no server can store; the phone still has it.
    @Test(arguments: modes) func aRowThatItsSenderWantsComesAgain(mode: [String: JSON]) async throws {
        #expect(try await comesAgain(["name": "Task t1", "_redeliver": true], mode))
        #expect(try await !comesAgain(["name": "Task t1", "_redeliver": false], mode))
    }
}

/// Columns that the app has and the server does not.
@Suite struct UnknownFieldTests {
    private func skipped(_ row: JSON, created: Bool = false) async throws -> (JSON?, [String], Bool) {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let since = try await member.head()
        let row = row.setting(["id": created ? "n1" : "t1", "name": "N"])
        let answer = try await member.upload(created: created ? [row] : [], updated: created ? [] : [row])
        #expect(answer.status == 200, "\(answer.text)")
        let comes = try await member.drain(since: since).row("tasks", created ? "n1" : "t1") != nil
        return (answer.at("/skipped/tasks"), try await member.inbox(), comes)
    }

    @Test func anEditOfOneIsReportedKeptInTheInboxAndComesAgain() async throws {
        let (skipped, inbox, comes) = try await skipped(["color": "red", "_changed": "color"])
        #expect(skipped == [["id": "t1", "field": "color", "code": "unknown_field"]])
        #expect(inbox == ["color unknown_field \"red\" null"])
        #expect(comes)
    }

    @Test func ofANewRowOneWithAValueIsReported() async throws {
        let row: JSON = ["color": "red", "tag": "", "pinned": false, "weight": 0, "seen_at": .null, "_changed": ""]
        let (skipped, inbox, _) = try await skipped(row, created: true)
        #expect(skipped == [["id": "n1", "field": "color", "code": "unknown_field"]])
        #expect(inbox == ["color unknown_field \"red\" null"])
    }

    @Test(arguments: ["name", "name,notes"]) func oneThatWasNotEditedStaysUnsaid(changed: String) async throws {
        let (skipped, inbox, _) = try await skipped(["color": "red", "_changed": .string(changed)])
        #expect(skipped == nil && inbox.isEmpty)
    }
}
