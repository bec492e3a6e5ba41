import Foundation
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// What a refused row takes along, and what it must not.
@Suite struct LeftOutTests {
    private func changes(_ buckets: [String: [String: [JSON]]]) -> JSON {
        .object(buckets.mapValues { .object($0.mapValues(JSON.array)) })
    }

    private func upload(
        _ client: Client, _ buckets: [String: [String: [JSON]]], _ members: [String: JSON] = ["on_error": "repair"]
    ) async throws -> Answer {
        try await client.upload(members: members.merging(["changes": changes(buckets)]) { $1 })
    }

    /// The codes of the refused rows, by id.
    private func codes(_ answer: Answer, _ collection: String) -> [String: String] {
        let entries = answer.at("/rejected/\(collection)")?.array ?? []
        return Dictionary(entries.map { ($0["id"]?.string ?? "", $0["code"]?.string ?? "") }) { first, _ in first }
    }

    /// A row in conflict is left alone anyway, whether what it refers to is hidden or never was.
    @Test(arguments: ["merge", "newest"]) func aConflictDoesNotTellWhetherAReferredRowExists(mode: String) async throws
    {
        var seen: Set<Impression> = []
        for id in ["re1", "never"] {
            let scene = try await Scene()
            try await scene.fill()
            try await scene.bench.edit { editor in
                try editor.insert("sprints", "s2", Scene.sprint)
                try editor.insert("sprint_retros", "open", ["sprint": "s2", "team_visibility": "project"])
                try editor.insert("retro_action_items", "seen", ["retro": "open", "text": "one"])
            }
            let (viewer, admin) = (try await scene.client(.viewer), try await scene.client(.admin))
            let since = try await viewer.drain().timestamp
            try await admin.patch("retro_action_items", "seen", ["retro": "re1"])
            try await admin.patch("retro_action_items", "seen", ["retro": "open", "text": "two"])
            let answer = try await viewer.upload(
                batch: "6f9619ff-8b86-d011-b42d-00c04fc964ff",
                members: [
                    "on_error": "reject_rows", "on_conflict": .string(mode), "last_pulled_at": .int(since),
                    "changes": changes([
                        "sprint_retros": ["updated": [["id": .string(id), "notes": "x"]]],
                        "retro_action_items": [
                            "updated": [
                                [
                                    "id": "seen", "retro": .string(id), "text": "mine",
                                    "modified_at": "2020-01-01T00:00:00.000Z",
                                ]
                            ]
                        ],
                    ]),
                ])
            #expect(answer.at("/conflicts/retro_action_items")?.array?.count == 1, "\(answer.text)")
            seen.insert(Impression(answer, of: id))
            #expect(try await viewer.inbox().count { $0.hasPrefix("retro ") } == 1)
        }
        #expect(seen.count == 1, "\(seen)")
    }

    /// The batch sets a reference and deletes what it leads to.
    @Test func aReferenceThatTheBatchItselfClearsIsToldAndDelivered() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertTasks(["k"], ["parent": "t3"])
        try await scene.bench.edit { try $0.update("risks", "r1", ["task_ids": []]) }
        let member = try await scene.client(.admin)
        let since = try await member.head()
        let answer = try await upload(
            member,
            [
                "risks": ["updated": [["id": "r1", "task_ids": ["k"]]]],
                "tasks": ["updated": [["id": "t2", "sprint": "s1"]], "deleted": ["t3"]],
                "sprints": ["deleted": ["s1"]],
            ])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/repaired/risks") == [["id": "r1", "field": "task_ids", "from": ["k"], "to": []]])
        #expect(answer.at("/repaired/tasks") == [["id": "t2", "field": "sprint", "from": "s1", "to": .null]])
        let drain = try await member.drain(since: since)
        #expect(drain.row("risks", "r1")?["task_ids"] == [])
        #expect(drain.row("tasks", "t2")?["sprint"] == .null)
    }

    /// Of two new rows with one key, one stands, and the other names it.
    @Test func ofTwoRetrosOfOneBatchOneStands() async throws {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        let rows: [JSON] = [["id": "rb", "sprint": "s1"], ["id": "ra", "sprint": "s1"]]
        for order in [rows, rows.reversed()] {
            let answer = try await upload(try await scene.client(.member), ["sprint_retros": ["created": order]])
            #expect(answer.at("/applied/sprint_retros/created/0/id") == "ra", "\(answer.text)")
            #expect(answer.at("/rejected/sprint_retros/0/id") == "rb")
            #expect(answer.at("/rejected/sprint_retros/0/existing") == "ra")
        }
    }

    /// A row that is wrong for another reason doesn't cost a good one its key.
    @Test func aRowThatIsRefusedAnywayTakesNoKey() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let rows: [JSON] = [
            ["id": "qa", "task": "t1", "frequency": "WEEKLY", "weekdays": 0],
            ["id": "qb", "task": "t1", "frequency": "DAILY"],
        ]
        let scheduler = try await scene.client(.scheduler)
        let answer = try await upload(scheduler, ["task_recurrence_rules": ["created": rows]])
        #expect(codes(answer, "task_recurrence_rules") == ["qa": "inconsistent"], "\(answer.text)")
        #expect(answer.at("/applied/task_recurrence_rules/created/0/id") == "qb")
    }

    /// Forty rules move on by one task each, and the last task's rule stays.
    @Test func aChainOfKeysThatCantMoveIsLeftOutInOneGo() async throws {
        let scene = try await Scene()
        let numbers = 0...40
        try await scene.insertTasks(numbers.map { "t\($0)" })
        try await scene.bench.edit { editor in
            for number in numbers {
                let fields: [String: JSON] = ["task": .string("t\(number)"), "frequency": "DAILY"]
                try editor.insert("task_recurrence_rules", "q\(number)", fields)
            }
        }
        let moved = numbers.dropLast().map { number -> JSON in
            ["id": .string("q\(number)"), "task": .string("t\(number + 1)")]
        }
        let answer = try await upload(
            try await scene.client(.scheduler),
            ["task_recurrence_rules": ["updated": moved], "tasks": ["created": [["id": "new", "name": "New"]]]])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(codes(answer, "task_recurrence_rules").count == 40)
        #expect(answer.at("/applied/tasks/created/0/id") == "new")
    }

    /// A whole row that names another column does not depend on a refused row.
    @Test func onlyReferencesThatChangeMakeADependant() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let answer = try await upload(
            try await scene.client(.member),
            [
                "tasks": ["created": [["id": "bad"]]],
                "risks": [
                    "created": [["id": "r2", "title": "R", "probability": 1, "impact": 1, "task_ids": ["bad"]]],
                    "updated": [
                        ["id": "r1", "title": "Edited", "task_ids": ["bad"], "_changed": "title"],
                        ["id": "r2", "task_ids": ["t1"]],
                    ],
                ],
            ])
        #expect(codes(answer, "risks") == [:], "\(answer.text)")
        #expect(answer.at("/applied/risks/updated")?.array?.count == 2)
    }

    /// Not even a field that the server does not have.
    @Test func aRefusedEditIsInTheInboxWithAllItsFields() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let viewer = try await scene.client(.viewer)
        let answer = try await upload(
            viewer, ["tasks": ["updated": [["id": "t1", "name": "Mine", "colour": "red"]]]])
        #expect(codes(answer, "tasks") == ["t1": "forbidden"], "\(answer.text)")
        #expect(
            Set(try await viewer.inbox()) == ["name forbidden \"Mine\" \"Task t1\"", "colour forbidden \"red\" null"])
    }

    @Test func aSuggestionsEditTimeComesWithADecision() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let viewer = try await scene.client(.viewer)
        let answer = try await upload(
            viewer,
            ["task_suggested_assignees": ["updated": [["id": "sa1", "modified_at": "2026-06-01T00:00:00.000Z"]]]])
        #expect(codes(answer, "task_suggested_assignees") == ["sa1": "field_forbidden"], "\(answer.text)")
    }

    /// Rows that are asked for again without a change count, as refused rows do.
    @Test func nobodyHasRowsDeliveredAgainWithoutLimit() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<400).map { "t\($0)" })
        let viewer = try await scene.client(.member)
        let rows = (0..<400).map { ["id": .string("t\($0)"), "_redeliver": true] as JSON }
        let verdicts = try await [1, 2, 3].asyncMap { _ in try await viewer.upload(updated: rows).verdict }
        #expect(verdicts == ["200", "200", "429 rate_limited"])
    }

    @Test func aReplayShowsNoValueOfARowThatWasPurged() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let since = try await member.head()
        try await admin.patch("sprint_retros", "re1", ["notes": "secret"])
        try await admin.patch("risks", "r1", ["description": "theirs"])
        let batch = UUID().uuidString
        let members: [String: JSON] = [
            "on_conflict": "merge", "last_pulled_at": .int(since),
            "changes": changes([
                "sprint_retros": ["updated": [["id": "re1", "notes": "mine"]]],
                "risks": ["updated": [["id": "r1", "description": "\"conflicts\":{}"]]],
            ]),
        ]
        #expect(try await member.upload(batch: batch, members: members).text.contains("secret"))
        try await admin.remove("sprint_retros", "re1")
        try await scene.bench.purge()
        try await scene.setRole(of: .member, to: .viewer)
        let again = try await member.upload(batch: batch, members: members)
        #expect(again.header("Idempotent-Replayed") == "true")
        #expect(!again.text.contains("secret") && again.text.contains("theirs"), "\(again.text)")
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
