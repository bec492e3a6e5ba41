import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStores
import SyncTestKit
import Testing

/// Whatever of a new row is not applied can be read back by its author, with its values: for each code of a skip and a
/// refusal, in each encoding and mode, to one project and to all, as clients send it and as they don't.
@Suite struct LostRowTests {
    /// A new row that is not applied as it was sent.
    struct Lost: Sendable {
        let code: String
        var collection = "tasks"
        let row: [String: JSON]
        /// The field whose value must be found again.
        var field = "notes"
        var role = "member"
        /// What happens under `repair`, if that is something else.
        var repaired = false
        /// Whether only this field of the row is lost.
        var isField = false
    }

    /// How it is sent.
    struct Form: Sendable, CustomTestStringConvertible {
        let path: String
        let encoding: String
        let mode: String
        let changed: Bool

        var testDescription: String { "\(path) \(encoding) \(mode)\(changed ? " _changed" : "")" }

        static let all = ["project", "all", "push", "push all"].flatMap { path in
            ["json", "watermelondb"].flatMap { encoding in
                ["reject_rows", "repair"].flatMap { mode in
                    [true, false].map { Form(path: path, encoding: encoding, mode: mode, changed: $0) }
                }
            }
        }.filter { !$0.path.hasPrefix("push") || $0.encoding == "watermelondb" }
    }

    private static let typed = JSON.string("Typed by hand")

    private static let ofOneProject: [Lost] = [
        Lost(code: "deleted", row: ["id": "dead", "name": "N", "notes": typed]),
        Lost(code: "parent_deleted", row: ["name": "N", "notes": typed, "parent": "dead"]),
        Lost(code: "required", row: ["notes": typed]),
        Lost(code: "wrong_type", row: ["name": "N", "notes": typed, "duration": "long"]),
        Lost(code: "not_in_enum", row: ["name": "N", "status": "NOPE"], field: "status", repaired: true),
        Lost(
            code: "too_long", row: ["name": .string(String(repeating: "x", count: 600))], field: "name",
            repaired: true),
        Lost(code: "out_of_range", row: ["name": "N", "duration": -3], field: "duration", repaired: true),
        Lost(code: "bad_format", row: ["name": "N", "planned_start": "soon"], field: "planned_start", repaired: true),
        Lost(
            code: "inconsistent",
            row: [
                "name": "N", "notes": typed, "optimistic_duration": 9, "most_likely_duration": 5,
                "pessimistic_duration": 1,
            ]),
        Lost(code: "invalid_id", row: ["id": "no good", "name": "N", "notes": typed]),
        Lost(code: "id_unavailable", row: ["id": "foreign", "name": "N", "notes": typed]),
        Lost(code: "unknown_reference", row: ["name": "N", "notes": typed, "parent": "never"]),
        Lost(code: "unknown_user", row: ["name": "N", "notes": typed, "assignee": 999_999]),
        Lost(code: "not_unique", collection: "sprint_retros", row: ["sprint": "s", "notes": typed]),
        Lost(code: "cyclic_parent", row: ["id": "own", "name": "N", "notes": typed, "parent": "own"]),
        Lost(
            code: "cyclic_dependency", collection: "dependencies",
            row: ["predecessor": "t2", "successor": "t1", "lag": 77], field: "lag", role: "scheduler"),
        Lost(code: "forbidden", row: ["name": "N", "notes": typed], role: "viewer"),
        Lost(code: "field_forbidden", row: ["name": "N", "notes": typed, "early_start": "2026-01-05"]),
        Lost(code: "unknown_field", row: ["name": "N", "colour": typed], field: "colour", isField: true),
        Lost(code: "repaired", row: ["name": "N", "sprint": "s-dead"], field: "sprint", isField: true),
    ]

    /// Only a batch over all projects has rows of these.
    private static let ofSeveral: [(code: String, project: String?)] = [
        ("project_archived", "archived"), ("membership_revoked", "left"), ("project_deleted", "gone"),
        ("not_a_member", "others"), ("not_found", "nowhere"), ("required", nil), ("id_unavailable", "p1"),
    ]

    private static func scene() async throws -> Scene {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "dead"])
        try await scene.insertSprint("s")
        try await scene.insertSprint("s-dead")
        try await scene.bench.edit { editor in
            try editor.insert("sprint_retros", "re", ["sprint": "s"])
            try editor.insert("dependencies", "d", ["predecessor": "t1", "successor": "t2"])
            try editor.delete("tasks", "dead")
            try editor.delete("sprints", "s-dead")
        }
        let others = try await scene.otherProject("others")
        try await others.edit { try $0.insert("tasks", "foreign", ["name": "Foreign"]) }
        return scene
    }

    private func send(_ form: Form, _ client: Client, _ collection: String, _ row: [String: JSON]) async throws
        -> Answer
    {
        var row = row
        if form.changed { row.merge(["_changed": "", "_status": "created"]) { $1 } }
        let changes: JSON = .object([collection: ["created": [.object(row)], "updated": [], "deleted": []]])
        let client = form.path.hasSuffix("all") ? client.ofAllProjects : client
        guard form.path.hasPrefix("push") else {
            return try await client.post([
                "client_batch_id": .string(UUID().uuidString), "encoding": .string(form.encoding),
                "on_error": .string(form.mode), "changes": changes,
            ])
        }
        return try await client.send(
            "POST", client.syncPath + "?last_pulled_at=\(try await client.head())&on_error=\(form.mode)", changes.data)
    }

    /// The entries about the row, of all projects.
    private func entries(_ client: Client, _ id: String) async throws -> [JSON] {
        let answer = try await client.send("GET", "/api/v1/rejected/?limit=500")
        #expect(answer.status == 200, "\(answer.text)")
        return (answer.at("/results")?.array ?? []).filter { $0["id"] == .string(id) }
    }

    @Test(arguments: Form.all) func eachCodeLeavesTheValues(form: Form) async throws {
        let scene = try await Self.scene()
        for (number, lost) in Self.ofOneProject.enumerated() {
            let client = try await scene.client(named: "\(lost.role)-p1")
            var row = lost.row
            let id = row["id"]?.string ?? "n\(number)"
            row["id"] = .string(id)
            if form.path.hasSuffix("all") { row["project_id"] = "p1" }
            let answer = try await send(form, client, lost.collection, row)
            #expect(answer.status == 200, "\(lost.code): \(answer.text)")
            let isRepaired = lost.code == "repaired" || lost.repaired && form.mode == "repair"
            let code = isRepaired ? "repaired" : lost.code
            let found = try await entries(client, id).filter { $0["code"] == .string(code) }
            #expect(found.count == 1, "\(lost.code): \(found) \(answer.text)")
            let (sent, value) = (found.first?["sent"], row[lost.field]!)
            if isRepaired || lost.isField {
                #expect(sent == value && found.first?["field"] == .string(lost.field), "\(lost.code): \(found)")
            } else {
                #expect(sent?[lost.field] == value && found.first?["field"] == .null, "\(lost.code): \(found)")
            }
            #expect(found.first?["project_id"] == "p1" && found.first?["cut"] == false)
        }
    }

    @Test(arguments: Form.all.filter { $0.path.hasSuffix("all") })
    func eachCodeOfAProjectLeavesTheValues(form: Form) async throws {
        let scene = try await Self.scene()
        let client = try await scene.client(.member)
        for project in ["archived", "left", "gone"] {
            let bench = try await scene.bench.another(project)
            switch project {
            case "archived": _ = try await bench.items.archive(true, project: project, by: bench.caller(.owner))
            case "left": try await bench.setRole(of: .member, to: nil)
            default:
                try await bench.items.delete(project, in: scene.registry.projects, if: .none, by: bench.caller(.owner))
            }
        }
        for (number, lost) in Self.ofSeveral.enumerated() {
            let id = lost.code == "id_unavailable" ? "foreign" : "n\(number)"
            var row: [String: JSON] = ["id": .string(id), "name": "N", "notes": Self.typed]
            row["project_id"] = lost.project.map(JSON.string)
            let answer = try await send(form, client, "tasks", row)
            #expect(answer.at("/rejected/tasks/0/code") == .string(lost.code), "\(answer.text)")
            let found = try await entries(client, id)
            #expect(found.count == 1 && found.first?["code"] == .string(lost.code), "\(lost.code): \(found)")
            #expect(found.first?["sent"]?["notes"] == Self.typed, "\(lost.code): \(found)")
            // A project that the author never knew is not named: it may be made up.
            let isKnown = !["not_a_member", "not_found", "required"].contains(lost.code)
            #expect(found.first?["project_id"] == (isKnown ? .string(lost.project!) : .null), "\(lost.code): \(found)")
        }
        // The rows of a project that can't be made.
        let project: [String: JSON] = ["id": "new", "name": 7, "start_date": "2026-01-05"]
        let changes: JSON = [
            "projects": ["created": [.object(project)]],
            "tasks": [
                "created": [["id": "t-new", "name": "N", "notes": Self.typed, "project_id": "new", "_changed": ""]]
            ],
        ]
        let answer = try await client.ofAllProjects.post([
            "client_batch_id": .string(UUID().uuidString), "on_error": .string(form.mode), "changes": changes,
        ])
        #expect(answer.at("/rejected/tasks/0/code") == "not_found", "\(answer.text)")
        #expect(try await entries(client, "t-new").map { $0["sent"]?["notes"] } == [Self.typed])
        #expect(try await entries(client, "new").map { $0["sent"]?["name"] } == [7])
    }

    /// An edit of a row that is there is lost field by field, whatever the encoding.
    @Test(arguments: ["json", "watermelondb"], ["merge", "newest", "reject_rows"])
    func anEditLeavesItsValues(encoding: String, mode: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let (member, since) = (try await scene.client(.member), try await scene.client(.member).head())
        try await scene.bench.edit(as: .admin) { editor in
            try editor.update("tasks", "t1", ["name": "Theirs", "modified_at": "2027-01-01T00:00:00.000Z"])
        }
        let moment: JSON = encoding == "json" ? "2026-01-01T00:00:00.000Z" : 1_767_225_600_000
        var edit: [String: JSON] = ["id": "t1", "name": "Mine", "modified_at": moment, "colour": "red"]
        if mode == "reject_rows" { edit["duration"] = "long" }
        let answer = try await member.upload(
            updated: [.object(edit)],
            members: [
                "encoding": .string(encoding), "on_error": "reject_rows", "last_pulled_at": .int(since),
                "on_conflict": .string(mode == "reject_rows" ? "overwrite" : mode),
            ])
        #expect(answer.status == 200 && answer.at("/applied/tasks/updated") == [], "\(answer.text)")
        let code = ["merge": "conflict", "newest": "overwritten", "reject_rows": "wrong_type"][mode]!
        let wrong = mode == "reject_rows" ? ["duration wrong_type \"long\" 1"] : []
        // When a row was edited is no content of it.
        #expect(
            try await Set(member.inbox())
                == Set(
                    ["name \(code) \"Mine\" \"Theirs\"", "colour \(code) \"red\" null"] + wrong))
    }

    /// What nobody typed is no lost edit.
    @Test func aValueThatNobodySetIsNotLost() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let row: JSON = [
            "id": "n1", "name": "N", "status": "", "planned_start": "", "parent": "", "assignee": 0,
            "modified_at": "", "is_milestone": .null, "_changed": "", "_status": "created",
        ]
        let answer = try await member.upload(
            created: [row], members: ["on_error": "repair", "encoding": "watermelondb"])
        #expect(answer.status == 200 && answer.at("/applied/tasks/created/0/id") == "n1", "\(answer.text)")
        #expect(try await member.inbox().isEmpty)
    }
}
