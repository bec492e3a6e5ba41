import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Texts that were cut within an emoji: `docs/protocol.md#rows-and-values`. In these tests they are written as
/// `JSON.stringify` writes them, since no `JSON` can hold them.
@Suite struct HalfPairTests {
    private let good = (0..<4).map { #"{"id":"g\#($0)","name":"Good"}"# }

    private func body(
        created: [String], mode: String, batch: String = UUID().uuidString, more: String = ""
    ) -> Data {
        let rows = created.joined(separator: ",")
        return """
            {"client_batch_id":"\(batch)","on_error":"\(mode)"\(more),"changes":{"tasks":{"created":[\(rows)]}}}
            """.data
    }

    @Test func aRepairReadsItAndNamesIt() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let rows = good + [#"{"id":"bad","name":"cut \ud83d","notes":"whole \ud83d\ude00"}"#]
        let answer = try await member.send("POST", member.syncPath, body(created: rows, mode: "repair"))
        #expect(answer.status == 200, "\(answer.text)")
        let repaired: JSON = ["id": "bad", "field": "name", "from": "cut \u{FFFD}", "to": "cut \u{FFFD}"]
        #expect(answer.at("/repaired/tasks") == [repaired])
        let drain = try await member.drain()
        #expect(drain.ids("tasks") == ["bad", "g0", "g1", "g2", "g3"])
        #expect(drain.row("tasks", "bad")?["name"] == "cut \u{FFFD}")
        #expect(drain.row("tasks", "bad")?["notes"] == "whole \u{1F600}")
    }

    @Test func withoutRepairThatRowAloneIsRefused() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let rows = good + [#"{"id":"bad","name":"\ude00 cut"}"#]
        let answer = try await member.send("POST", member.syncPath, body(created: rows, mode: "reject_rows"))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/rejected/tasks/0/code") == "bad_format" && answer.at("/rejected/tasks/0/field") == "name")
        #expect(answer.at("/rejected_ids") == ["tasks": ["bad"]])
        #expect(try await member.drain().ids("tasks") == ["g0", "g1", "g2", "g3"])
        let whole = try await member.send("POST", member.syncPath, body(created: rows, mode: "reject_batch"))
        #expect(whole.verdict == "400 invalid_rows")
        #expect(whole.errors == ["/changes/tasks/created/4/name bad_format"])
    }

    @Test func watermelonDBsOwnPushGoesThrough() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        // A list is JSON text there: the half is written in the text within the text.
        let changes = #"""
            {"tasks":{"created":[\#(good[0]),{"id":"bad","name":"cut \ud83d"}],"updated":[],"deleted":[]},
             "risks":{"created":[],"updated":[
                {"id":"r1","title":"\ud83d","task_ids":"[\"t1\"]","_changed":"title"}],"deleted":[]}}
            """#
        let path = member.syncPath + "?last_pulled_at=\(try await member.head())"
        let refused = try await member.send("POST", path, changes.data)
        #expect(refused.errors == ["/risks/updated/0/title bad_format", "/tasks/created/1/name bad_format"])
        let answer = try await member.send("POST", path + "&on_error=repair", changes.data)
        #expect(answer.status == 200, "\(answer.text)")
        let drain = try await member.drain()
        #expect(drain.row("tasks", "bad")?["name"] == "cut \u{FFFD}")
        #expect(drain.row("risks", "r1")?["title"] == "\u{FFFD}")
    }

    @Test func aHalfInAListOrInItsJSONTextIsNamedByItsPlace() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        func send(_ ids: String, encoding: String, mode: String) async throws -> Answer {
            let row = #"{"id":"r1","task_ids":\#(ids)}"#
            return try await member.send(
                "POST", member.syncPath,
                """
                {"client_batch_id":"\(UUID().uuidString)","encoding":"\(encoding)","on_error":"\(mode)",\
                "changes":{"risks":{"updated":[\(row)]}}}
                """.data)
        }
        let plain = try await send(#"["t1","t\ud83d"]"#, encoding: "json", mode: "reject_batch")
        #expect(plain.errors == ["/changes/risks/updated/0/task_ids/1 bad_format"], "\(plain.text)")
        let text = try await send(#""[\"t1\",\"t\\ud83d\"]""#, encoding: "watermelondb", mode: "reject_batch")
        #expect(text.errors == ["/changes/risks/updated/0/task_ids bad_format"], "\(text.text)")
        #expect(text.at("/detail")?.string?.contains("/1") == true)
        // U+FFFD is not in an id, so a repair can't help: the row alone is refused.
        let repair = try await send(#"["t1","t\ud83d"]"#, encoding: "json", mode: "repair")
        #expect(repair.at("/rejected/risks/0/code") == "invalid_id", "\(repair.text)")
    }

    /// Where a value is not a field's, it is what U+0000 is there.
    @Test(
        arguments: [
            (#"{"id":"b\ud83d","name":"N"}"#, "/changes/tasks/created/0 invalid_id"),
            (#"{"id":"b","name":"N","_changed":"na\ud83dme"}"#, "/changes/tasks/created/0/_changed bad_format"),
            (#"{"id":"b","name":"N","base_version":"\ud83d"}"#, "/changes/tasks/created/0 wrong_type"),
            (#""\ud83d""#, "/changes/tasks/created/0 invalid_id"),
        ])
    func whatMustBeKnownIsRefusedInEveryMode(row: String, error: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let refused = try await member.send("POST", member.syncPath, body(created: [row], mode: "reject_batch"))
        #expect(refused.errors == [error], "\(refused.text)")
        let answer = try await member.send("POST", member.syncPath, body(created: [row] + good, mode: "repair"))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await member.drain().ids("tasks") == ["g0", "g1", "g2", "g3"])
    }

    @Test func anUnknownFieldDoesNotHoldTheRowUp() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let row = #"{"id":"b","name":"N","col\ud83d":"x\ude00","_status":"\ud83d"}"#
        let answer = try await member.send("POST", member.syncPath, body(created: [row], mode: "reject_batch"))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/skipped/tasks") == [["id": "b", "field": "col\u{FFFD}", "code": "unknown_field"]])
    }

    @Test func theEnvelopeIsReadStrictly() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for more in [#","device_id":"phone \ud83d""#, #","encoding":"\ud83d""#] {
            let answer = try await member.send("POST", member.syncPath, body(created: good, mode: "repair", more: more))
            #expect(answer.verdict == "400 invalid_body", "\(answer.text)")
        }
        let ignored = try await member.send(
            "POST", member.syncPath, body(created: good, mode: "repair", more: #","note":"\ud83d""#))
        #expect(ignored.status == 200, "\(ignored.text)")
    }

    /// Both texts are stored as the same one. The second must not get the answer of the first.
    @Test func twoBadTextsAreTwoBatches() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let batch = UUID().uuidString
        func send(_ name: String) async throws -> Answer {
            let row = #"{"id":"b","name":"\#(name)"}"#
            return try await member.send("POST", member.syncPath, body(created: [row], mode: "repair", batch: batch))
        }
        #expect(try await send(#"cut \ud83d"#).status == 200)
        #expect(try await send(#"cut \ud83d"#).header("Idempotent-Replayed") == "true")
        for other in [#"cut \ud83e"#, #"cut \ude00"#, #"cut \ufffd"#] {
            #expect(try await send(other).verdict == "422 batch_id_reused", "\(other)")
        }
    }

    /// The phone has a half, the server U+FFFD: the next drain must put the phone right.
    @Test func theSameTextAgainIsDeliveredAgain() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let row = #"{"id":"b","name":"cut \ud83d"}"#
        _ = try await member.send("POST", member.syncPath, body(created: [row], mode: "repair"))
        let head = try await member.head()
        let again = try await member.send("POST", member.syncPath, body(created: [row], mode: "repair"))
        #expect(again.at("/repaired/tasks/0/field") == "name", "\(again.text)")
        #expect(try await member.drain(since: head).row("tasks", "b")?["server_version"] == 1)
    }

    @Test func restNamesTheField() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let owner = try await scene.client(.owner)
        let answers = [
            try await owner.send("POST", "/projects/p1/tasks/", #"{"name":"cut \ud83d"}"#.data),
            try await owner.send("PATCH", "/tasks/t1/", #"{"name":"cut \ud83d"}"#.data),
            try await owner.send("POST", "/projects/", #"{"name":"cut \ud83d","start_date":"2026-01-05"}"#.data),
        ]
        for answer in answers {
            #expect(answer.verdict == "400 invalid_rows" && answer.errors == ["/name bad_format"], "\(answer.text)")
        }
        #expect(try await owner.read("tasks", "t1").at("/name") == "Task t1")
        let login = try await owner.send("POST", "/auth/token/", #"{"username":"\ud83d","password":"x"}"#.data)
        #expect(login.verdict == "400 invalid_json", "\(login.text)")
    }
}
