import Foundation
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Rows as the models that `tidemark schema --format swift --all-projects` prints.
@Suite struct RowModelTests {
    private let scratch: Scratch
    private let replica: Replica
    private let task: String

    init() throws {
        scratch = try Scratch()
        replica = try Replica(path: scratch.path, scope: .allProjects, schema: PlanSchema.text)
        try replica.insert(ProjectsRow.New(id: "p", name: "Hall", startDate: "2026-06-01"))
        task = try replica.insert(TasksRow.New(projectID: "p", name: "Order paint"))
    }

    private func read() throws -> TasksRow { try #require(try replica.row(of: TasksRow.self, id: task)) }

    private func stored() throws -> JSON { try #require(try replica.row(of: "tasks", id: task)) }

    /// Stores what the server would have sent.
    private func receive(_ assignments: String) throws {
        try replica.edit("UPDATE tasks SET \(assignments), _status = 'synced', server_version = 3 WHERE id = '\(task)'")
    }

    @Test func aNewRowHasWhatItNamesAndTheDefaultsOfTheSchema() throws {
        let row = try read()
        #expect(UUID(uuidString: task) != nil && row.id == task && row.projectID == "p")
        #expect(row.name == "Order paint" && row.status == .notStarted && row.percentComplete == 0)
        #expect(row.shortID == nil && row.serverVersion == 0 && row.parent == nil)
        #expect(throws: EditError.rowExists("p", collection: "projects")) {
            try replica.insert(ProjectsRow.New(id: "p", name: "Hall", startDate: "2026-06-01"))
        }
    }

    @Test func rowsAreFoundAndObserved() async throws {
        try replica.insert(TasksRow.New(projectID: "p", name: "Measure", status: .complete))
        let done = try replica.rows(of: TasksRow.self, in: "p", where: ["status": .equals("COMPLETE")])
        #expect(done.map(\.name) == ["Measure"])
        #expect(try replica.rows(of: TasksRow.self, order: ["-name"], limit: 1).map(\.name) == ["Order paint"])
        var states = replica.observe(TasksRow.self, in: "p", order: ["name"], look: .milliseconds(1))
            .makeAsyncIterator()
        #expect(try await states.next()?.map(\.name) == ["Measure", "Order paint"])
        var ids = replica.changes(of: TasksRow.self, look: .milliseconds(1)).makeAsyncIterator()
        #expect(try await ids.next()?.count == 2)
        try replica.delete(read())
        #expect(try await states.next()?.map(\.name) == ["Measure"])
        #expect(try await ids.next() == [task])
        #expect(try replica.row(of: TasksRow.self, id: task) == nil)
    }

    @Test func onlyWhatAnEditChangesIsSent() throws {
        try receive("notes = 'Two coats.'")
        let row = try read()
        // Meanwhile, a sync brings what others did.
        try receive("percent_complete = 40, notes = 'Three coats.'")
        try replica.update(row) { task in
            task.status = .inProgress
            task.assignee = nil
        }
        #expect(try stored()["_changed"] == "status" && stored()["status"] == "IN_PROGRESS")
        #expect(try read().percentComplete == 40 && read().notes == "Three coats.")
        var typed = row
        typed.notes = ""
        typed.sprint = "s"
        try replica.update(typed, from: row)
        #expect(try stored()["_changed"] == "notes,sprint,status" && read().notes == "")
        typed.sprint = nil
        try replica.update(typed, from: read())
        #expect(try stored()["sprint"] == JSON.null)
    }

    @Test func anEditOfAnotherRowOrOfNoneIsRefused() throws {
        let row = try read()
        let other = try replica.insert(TasksRow.New(projectID: "p", name: "Measure"))
        let measure = try #require(try replica.row(of: TasksRow.self, id: other))
        #expect(throws: EditError.self) { try replica.update(measure, from: row) }
        try replica.delete(row)
        #expect(throws: EditError.unknownRow(task, collection: "tasks")) { try replica.update(row) { $0.name = "N" } }
        #expect(throws: EditError.unknownRow(task, collection: "tasks")) { try replica.update(row) { _ in } }
    }

    /// A newer server's word hides no row, and an edit of something else leaves it.
    @Test func aValueThatTheModelDoesNotKnowIsUnknown() throws {
        try receive("status = 'PARKED'")
        #expect(try replica.rows(of: TasksRow.self).map(\.status) == [.unknown("PARKED")])
        try replica.update(read()) { $0.name = "Buy paint" }
        #expect(try stored()["status"] == "PARKED" && stored()["_changed"] == "name")
        #expect(TasksRow.Status(rawValue: "PARKED").rawValue == "PARKED")
        #expect(TasksRow.Status(rawValue: "REVIEW") == .review && !TasksRow.Status.allCases.contains(.unknown("x")))
        #expect(MembershipsRow.Role(rawValue: 300) == .value300 && MembershipsRow.Role(rawValue: 7) == .unknown(7))
    }

    /// A KELVIN SIGN is no K, though Swift takes both for equal.
    @Test func valuesAreComparedByTheirBytes() {
        let odd = TasksRow.Status(rawValue: "BAC\u{212A}LOG")
        guard case .unknown(let value) = odd else { return #expect(Bool(false), "\(odd)") }
        #expect(value.utf8.elementsEqual("BAC\u{212A}LOG".utf8))
    }

    /// The server's schema is newer than the app: it has a field that the model lacks.
    @Test func aFieldThatTheModelLacksIsNotLost() throws {
        let newer = try PlanSchema.serverSchema { tasks in
            tasks["mood"] = ["type": "string", "default": "good"]
            tasks["extra"] = ["type": ["object", "null"], "default": nil]
        }
        _ = try replica.adopt(newer)
        try receive(#"mood = 'bad', extra = '{"a":1}'"#)
        try replica.update(read()) { $0.name = "Buy paint" }
        #expect(try stored()["mood"] == "bad" && stored()["extra"] == ["a": 1] && stored()["_changed"] == "name")
        let exceptions: JSON = [["exc_start": "2026-01-01", "exc_end": "2026-01-02", "newer": [1, 2.5, nil, "x"]]]
        try replica.insert(["name": "Works", "project_id": "p", "exceptions": exceptions], into: "calendars", id: "c")
        let calendar = try #require(try replica.row(of: CalendarsRow.self, id: "c"))
        try replica.update(calendar) { $0.name = "Rests" }
        try replica.update(calendar) { $0.exceptions += [["exc_start": "2026-05-01", "exc_end": "2026-05-01"]] }
        #expect(
            try replica.row(of: "calendars", id: "c")?["exceptions"]?.array
                == (exceptions.array ?? []) + [["exc_start": "2026-05-01", "exc_end": "2026-05-01"]])
    }

    /// The server's schema is older than the app: it lacks fields of the model.
    @Test func aFieldThatTheServerLacksHidesNoRow() throws {
        let path = scratch.folder + "/older"
        let older = try Replica(path: path, scope: .allProjects)
        _ = try older.adopt(
            PlanSchema.serverSchema { tasks in
                for name in ["status", "notes", "percent_complete", "is_milestone", "sprint"] { tasks[name] = nil }
            })
        try older.insert(ProjectsRow.New(id: "p", name: "Hall", startDate: "2026-06-01"))
        try older.insert(TasksRow.New(id: "t", projectID: "p", name: "Order paint"))
        let row = try #require(try older.rows(of: TasksRow.self).first)
        #expect(row.status == .notStarted && row.notes == "" && row.percentComplete == 0 && row.sprint == nil)
        try older.update(row) { $0.name = "Buy paint" }
        #expect(throws: EditError.unknownField("notes", collection: "tasks")) {
            try older.update(row) { $0.notes = "Two coats." }
        }
    }

    /// What a row has comes back from its model, whatever it is.
    @Test(arguments: 1...30) func rowsComeBackAsTheyAre(seed: UInt64) throws {
        let dice = Dice(seed: seed)
        for document in PlanSchema.documents {
            let row = PlanSchema.row(of: document, dice)
            let name = try #require(document["title"]?.string)
            let model = try #require(Self.models[name])
            let back = try Self.throughModel(model, row)
            let fields = row.object ?? [:]
            for (field, value) in fields {
                #expect((back[field] ?? .null) == value, "seed \(seed): \(name).\(field)")
            }
            #expect(back.keys.allSatisfy { fields[$0] != nil }, "seed \(seed): \(name)")
        }
    }

    private static let models: [String: any RowModel.Type] = Dictionary(
        uniqueKeysWithValues: ([
            AttachmentsRow.self, CalendarsRow.self, DependenciesRow.self, MembershipsRow.self, ProjectsRow.self,
            RetroActionItemsRow.self,
            RisksRow.self, SprintRetrosRow.self, SprintsRow.self, TaskLinksRow.self, TaskRecurrenceRulesRow.self,
            TaskSuggestedAssigneesRow.self, TasksRow.self, TimeEntriesRow.self,
        ] as [any RowModel.Type]).map { ($0.collection, $0) })

    private static func throughModel<Model: RowModel>(_ model: Model.Type, _ row: JSON) throws -> [String: JSON] {
        let read = try JSONDecoder().decode(model, from: Data(row.bytes))
        return try JSON(parsing: JSONEncoder().encode(read)).object ?? [:]
    }
}

/// The built-in collections.
private enum PlanSchema {
    static let documents: [JSON] = {
        let folder = URL(filePath: #filePath).appending(path: "../../../../Schemas/collections").standardizedFileURL
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }.compactMap { try? JSON(parsing: Data(contentsOf: $0)) }
    }()

    static var text: String { JSON.array(documents).text }

    static func serverSchema(_ change: (inout [String: JSON]) -> Void) throws -> ServerSchema {
        let changed = documents.map { document in
            guard document["title"] == "tasks", var properties = document["properties"]?.object else { return document }
            change(&properties)
            return document.setting("properties", to: .object(properties))
        }
        return try ServerSchema(["schema_version": "v9", "collections": .array(changed)], allProjects: true)
    }

    static func row(of document: JSON, _ dice: Dice) -> JSON {
        var row = (document["properties"]?.object ?? [:]).mapValues { value(of: $0, dice) }
        row["id"] = "r"
        row["project_id"] = "p"
        row["server_version"] = .int(Int64(dice.roll(9)))
        return .object(row)
    }

    private static func value(of field: JSON, _ dice: Dice) -> JSON {
        let types = field["type"]?.array?.compactMap(\.string) ?? [field["type"]?.string ?? ""]
        if types.contains("null"), dice.roll(3) == 0 { return .null }
        switch types[0] {
        case "string":
            let known = field["enum"]?.array?.compactMap(\.string) ?? []
            return .string((known + texts)[dice.roll(known.count + texts.count)])
        case "integer": return [0, 1, 300, .int(.max), .int(.min), -7][dice.roll(6)]
        case "number": return [0, 0.1, -2.5, 1e300, 40][dice.roll(5)]
        case "boolean": return .bool(dice.roll(2) == 0)
        case "array": return .array((0..<dice.roll(4)).map { _ in value(of: field["items"] ?? [:], dice) })
        default: return ["in": [1, nil, true, "e\u{301}"], "n": .double(0.1), "o": [:]]
        }
    }

    private static let texts = ["", "x", "e\u{301}", "\u{E9}", "\u{212A}", "\u{1F6A9}\n\"\\/", "2026-06-01", "null"]
}
