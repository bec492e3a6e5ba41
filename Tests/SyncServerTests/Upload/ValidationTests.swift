import SyncProtocol
import SyncTestKit
import Testing

/// What the schema says about values, and which place the error names.
@Suite struct ValidationTests {
    /// A value for a field, and the code with which it is refused.
    struct Case: Sendable, CustomTestStringConvertible {
        let field: String
        let value: JSON
        let code: String
        var testDescription: String { "\(field) \(value.text.prefix(40)) is \(code)" }

        init(_ field: String, _ value: JSON, _ code: String) {
            self.field = field
            self.value = value
            self.code = code
        }
    }

    static let refused = [
        Case("name", .null, "wrong_type"), Case("name", 7, "wrong_type"), Case("name", ["a"], "wrong_type"),
        Case("name", .string(String(repeating: "x", count: 513)), "too_long"),
        Case("name", "a\u{0}b", "bad_format"), Case("notes", "\u{0}", "bad_format"), Case("notes", .null, "wrong_type"),
        Case("status", "DONE", "not_in_enum"), Case("status", "", "not_in_enum"), Case("status", 1, "wrong_type"),
        Case("status", .null, "wrong_type"), Case("status", "complete", "not_in_enum"),
        Case("duration", -1, "out_of_range"), Case("duration", 36526, "out_of_range"),
        Case("duration", 1.5, "wrong_type"), Case("duration", "3", "wrong_type"), Case("duration", true, "wrong_type"),
        Case("duration", .null, "wrong_type"), Case("duration", 1e300, "wrong_type"),
        Case("percent_complete", 100.1, "out_of_range"), Case("percent_complete", -0.1, "out_of_range"),
        Case("percent_complete", "50", "wrong_type"),
        Case("planned_start", "2026-02-30", "bad_format"), Case("planned_start", "2026-1-5", "bad_format"),
        Case("planned_start", "05.01.2026", "bad_format"), Case("planned_start", "", "bad_format"),
        Case("planned_start", "2026-01-05T00:00:00Z", "bad_format"), Case("planned_start", 20260105, "wrong_type"),
        Case("modified_at", "yesterday", "bad_format"), Case("modified_at", "2026-01-05", "bad_format"),
        Case("is_milestone", 1, "wrong_type"), Case("is_milestone", "true", "wrong_type"),
        Case("is_milestone", .null, "wrong_type"), Case("parent", 7, "wrong_type"),
        Case("parent", "not an id", "invalid_id"), Case("sprint", ["s1"], "wrong_type"),
        Case("assignee", "7", "wrong_type"), Case("optimistic_duration", -1, "out_of_range"),
        Case("wbs_path", .string(String(repeating: "1", count: 256)), "too_long"),
        Case("rank", .string(String(repeating: "1", count: 129)), "too_long"), Case("rank", "", "bad_format"),
        Case("rank", "A0", "bad_format"), Case("rank", "a-b", "bad_format"), Case("rank", "é", "bad_format"),
        Case("rank", 7, "wrong_type"),
    ]

    @Test func everyBadValueIsRefusedWithItsCodeAndPointer() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let rows = Self.refused.enumerated().map { index, bad in
            ["name": "A", bad.field: bad.value, "id": .string("t-\(index)")] as JSON
        }
        let created = try await member.upload(created: rows)
        #expect(created.status == 400)
        let expected = Self.refused.enumerated().map { "/changes/tasks/created/\($0)/\($1.field) \($1.code)" }
        #expect(Set(created.errors) == Set(expected))
        #expect(created.errors.count == expected.count)
    }

    @Test(arguments: refused) func aBadValueIsRefusedInAnUpdate(bad: Case) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let answer = try await scene.client(.member).upload(updated: [.object(["id": "t1", bad.field: bad.value])])
        #expect(answer.status == 400)
        #expect(answer.errors == ["/changes/tasks/updated/0/\(bad.field) \(bad.code)"])
    }

    @Test func theEdgesOfTheRulesAreAccepted() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let name = String(repeating: "漢", count: 512)
        let answer = try await member.upload(created: [
            [
                "id": "t1", "name": .string(name), "duration": 36525, "percent_complete": 100,
                "planned_start": "2024-02-29", "wbs_path": .string(String(repeating: "1", count: 255)),
            ],
            ["id": "t2", "name": "", "duration": 0, "percent_complete": 0.5, "planned_start": .null],
            [
                "id": "t3", "name": "A", "duration": 3.0, "planned_start": "9999-12-31", "notes": "\u{1}\u{7f}",
                "rank": .string("00Az" + String(repeating: "1", count: 124)),
            ],
        ])
        #expect(answer.status == 200)
        let drain = try await member.drain(collections: "tasks")
        #expect(drain.row("tasks", "t1")?["name"] == .string(name))
        #expect(drain.row("tasks", "t2")?["percent_complete"] == 0.5)
        #expect(drain.row("tasks", "t3")?["duration"] == 3)
        #expect(drain.row("tasks", "t3")?["notes"] == "\u{1}\u{7f}")
    }

    @Test func anInstantIsKeptInUTCWithMilliseconds() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "t1", "name": "A", "modified_at": "2026-01-05T10:00:00.1234+02:00"]])
        #expect(try await member.task("t1")?["modified_at"] == "2026-01-05T08:00:00.123Z")
    }

    @Test func aStoredValueThatIsSentBackIsNotJudgedAgain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["status": "LEGACY", "duration": -5])
        let row: JSON = ["id": "t1", "name": "B", "status": "LEGACY", "duration": -5]
        #expect(try await scene.client(.member).upload(updated: [row]).status == 200)
    }

    @Test(arguments: [[3, 2, 4], [1, 5, 4], [5, 5, 4]])
    func estimatesOutOfOrderAreRefused(days: [Int64]) async throws {
        let scene = try await Scene()
        let row: JSON = [
            "id": "t1", "name": "A", "optimistic_duration": .int(days[0]), "most_likely_duration": .int(days[1]),
            "pessimistic_duration": .int(days[2]),
        ]
        let answer = try await scene.client(.member).upload(created: [row])
        #expect(answer.status == 400)
        #expect(answer.errors == ["/changes/tasks/created/0/most_likely_duration inconsistent"])
    }

    @Test func estimatesAreJudgedTogetherWithWhatTheServerHas() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [
            [
                "id": "t1", "name": "A", "optimistic_duration": 2, "most_likely_duration": 2,
                "pessimistic_duration": 4,
            ]
        ])
        let bad = try await member.upload(updated: [["id": "t1", "pessimistic_duration": 1]])
        #expect(bad.status == 400)
        #expect(bad.at("/errors/0/code") == "inconsistent")
        let row: JSON = ["id": "t1", "pessimistic_duration": 1, "most_likely_duration": 1, "optimistic_duration": 1]
        #expect(try await member.upload(updated: [row]).status == 200)
        #expect(try await member.upload(updated: [["id": "t1", "most_likely_duration": .null]]).status == 200)
        #expect(try await member.upload(updated: [["id": "t1", "pessimistic_duration": 0]]).status == 200)
    }
}
