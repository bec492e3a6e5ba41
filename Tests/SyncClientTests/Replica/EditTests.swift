import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Edits without a server.
@Suite struct EditTests {
    private let scratch: Scratch
    private let replica: Replica

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replicaWithTables()
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 3, "name": "A"]])))
    }

    @Test func aNewRowHasTheDefaults() throws {
        try replica.insert(["name": "N"], into: "tasks", id: "n")
        let row = try replica.row("n")
        #expect(row?["duration"] == 1 && row?["labels"] == [] && row?["_status"] == "created" && row?["_changed"] == "")
    }

    @Test func aNewRowThatLacksARequiredFieldIsRefused() throws {
        let required: JSON = [
            "title": "entries", "x-uploadable": true, "required": ["task", "minutes", "user"],
            "properties": [
                "task": ["type": "string"], "minutes": ["type": "integer"],
                "user": ["type": "integer", "readOnly": true],
            ],
        ]
        _ = try replica.adopt(ServerSchema(Fixture.schemaJSON(version: "v2", more: [required])))
        let error = #expect(throws: EditError.self) { try replica.insert([:], into: "entries", id: "n") }
        #expect(error == .missingFields(["task", "minutes"], collection: "entries"))
        #expect(error?.problems.map(\.detail) == ["minutes is required.", "task is required."])
        let mixed = #expect(throws: EditError.self) { try replica.insert(["task": 1], into: "entries", id: "n") }
        #expect(mixed?.problems.map(\.detail) == ["minutes is required.", "task must be a string."])
        try replica.insert(["task": "a", "minutes": 5], into: "entries", id: "n")
    }

    /// An app of the version before goes on building.
    @available(*, deprecated)
    @Test func theFormerLabelMeansTheSame() throws {
        try replica.update("a", in: "tasks", ["name": "B"])
        #expect(try replica.row("a")?["name"] == "B" && replica.row("a")?["_changed"] == "name")
    }

    /// An edit without `modified_at` counts as made when the server receives it.
    @Test func anEditLeavesTheEditTimeToTheApp() throws {
        let time: JSON = ["type": ["string", "null"], "default": nil]
        _ = try replica.adopt(ServerSchema(Fixture.schemaJSON(version: "v2", taskFields: ["modified_at": time])))
        try replica.update("a", in: "tasks", with: ["name": "B"])
        #expect(try replica.row("a")?["_changed"] == "name" && replica.row("a")?["modified_at"] == JSON.null)
        try replica.update("a", in: "tasks", with: ["modified_at": "2026-06-01T12:00:00.000Z"])
        #expect(try replica.row("a")?["_changed"] == "modified_at,name")
    }

    @Test func onlyWhatChangesIsNamed() throws {
        try replica.update("a", in: "tasks", with: ["name": "A", "duration": 5])
        #expect(try replica.row("a")?["_changed"] == "duration")
        try replica.update("a", in: "tasks", with: ["done": true])
        #expect(try replica.row("a")?["_changed"] == "done,duration")
        try replica.update("a", in: "tasks", with: ["duration": 6])
        #expect(try replica.row("a")?["_changed"] == "done,duration")
    }

    @Test func anEditThatChangesNothingLeavesTheRowSynced() throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        #expect(try replica.row("a")?["_status"] == "synced")
    }

    @Test func aNewRowStaysNewWhenItIsEdited() throws {
        try replica.insert(["name": "N"], into: "tasks", id: "n")
        try replica.update("n", in: "tasks", with: ["name": "M"])
        let row = try replica.row("n")
        #expect(row?["_status"] == "created" && row?["_changed"] == "name" && row?["name"] == "M")
    }

    @Test(
        arguments: [
            (["nope": 1], EditError.unknownField("nope", collection: "tasks")),
            (["name": 1], .wrongType("name", collection: "tasks")),
            (["name": nil], .wrongType("name", collection: "tasks")),
            (["duration": 1.5], .wrongType("duration", collection: "tasks")),
        ] as [([String: JSON], EditError)])
    func aValueThatTheFieldCannotHoldIsRefused(fields: [String: JSON], error: EditError) throws {
        #expect(throws: error) { try replica.update("a", in: "tasks", with: fields) }
        #expect(throws: error) { try replica.insert(fields, into: "tasks", id: "n") }
        #expect(try replica.ids() == ["a"] && replica.unsentCount() == 0)
    }

    /// One mistake alone keeps its case of `EditError`. Several come as `refused`, in the server's order.
    @Test(
        arguments: [
            (["name": 1], ["wrong_type /name name must be a string."]),
            (["name": nil], ["wrong_type /name name must be a string, not null."]),
            (["sprint": 1], ["wrong_type /sprint sprint must be a string or null."]),
            (["nope": 1], ["unknown_field /nope tasks has no field nope."]),
            (["id": "x"], ["read_only_field /id id can't be changed."]),
            (
                ["nope": 1, "also": 1],
                ["unknown_field /also tasks has no field also.", "unknown_field /nope tasks has no field nope."]
            ),
            (
                ["nope": 1, "name": 1, "duration": 1.5, "server_version": 3],
                [
                    "wrong_type /duration duration must be an integer.", "wrong_type /name name must be a string.",
                    "unknown_field /nope tasks has no field nope.",
                    "read_only_field /server_version server_version can't be changed.",
                ]
            ),
        ] as [([String: JSON], [String])])
    func allMistakesAreToldInTheServersWords(fields: [String: JSON], told: [String]) throws {
        let edits: [() throws -> Void] = [
            { try replica.update("a", in: "tasks", with: fields) },
            { try replica.insert(fields, into: "tasks", id: "n") },
        ]
        for edit in edits {
            let error = #expect(throws: EditError.self) { try edit() }
            #expect(error?.problems.map { "\($0.code) \($0.pointer) \($0.detail)" } == told)
        }
        #expect(try replica.check(fields, in: "tasks", id: "a").problems.map(\.detail).count == told.count)
        #expect(try replica.ids() == ["a"] && replica.unsentCount() == 0)
    }

    @Test func aFieldOfTheServersIsRefused() throws {
        let schema = Fixture.schemaJSON(version: "v2", taskFields: ["short_id": ["type": "string", "readOnly": true]])
        _ = try replica.adopt(ServerSchema(schema))
        #expect(throws: EditError.readOnlyField("short_id", collection: "tasks")) {
            try replica.update("a", in: "tasks", with: ["short_id": "x"])
        }
    }

    @Test func rowsAreJudged() throws {
        #expect(throws: EditError.rowExists("a", collection: "tasks")) {
            try replica.insert([:], into: "tasks", id: "a")
        }
        #expect(throws: EditError.invalidID("a b")) { try replica.insert([:], into: "tasks", id: "a b") }
        #expect(throws: EditError.unknownRow("x", collection: "tasks")) {
            try replica.update("x", in: "tasks", with: [:])
        }
        #expect(throws: EditError.notUploadable("sprints")) { try replica.insert([:], into: "sprints", id: "s") }
        #expect(throws: EditError.unknownCollection("moons")) { try replica.delete("m", from: "moons") }
        try replica.delete("a", from: "tasks")
        #expect(throws: EditError.unknownRow("a", collection: "tasks")) { try replica.delete("a", from: "tasks") }
    }

    /// Without a watermark, a batch could bring back rows that were deleted and purged long ago.
    @Test func withoutAWatermarkThereIsNoBatch() throws {
        try replica.update("a", in: "tasks", with: ["name": "B"])
        try replica.reset(resync: true)
        let next = try replica.nextBatch(BatchLimits(rows: 9, bytes: 999), at: .test, newID: { "id" })
        #expect(next == .pullFirst)
    }

    @Test func anEmptyReplicaIsPulledFirst() throws {
        let fresh = try Scratch()
        #expect(throws: EditError.notPulled) { try fresh.replica().insert([:], into: "tasks", id: "n") }
    }

    /// Format 1 had no batches and no bases.
    @Test func aReplicaOfTheFirstFormatIsBroughtUpToDate() throws {
        try replica.edit(
            """
            DROP TABLE _batch_row; DROP TABLE _batch; DROP TABLE _refused; ALTER TABLE _replica DROP COLUMN device;
            ALTER TABLE _replica DROP COLUMN answers; ALTER TABLE _replica DROP COLUMN answers_before;
            ALTER TABLE _replica DROP COLUMN epoch;
            DROP INDEX _unsent_tasks; DROP INDEX _unsent_sprints;
            ALTER TABLE tasks DROP COLUMN _base; ALTER TABLE sprints DROP COLUMN _base; PRAGMA user_version = 1
            """)
        let upgraded = try Replica(existing: scratch.path)
        try upgraded.update("a", in: "tasks", with: ["name": "B"])
        #expect(try upgraded.row("a")?["_changed"] == "name")
        guard
            case .batch(let batch) = try upgraded.nextBatch(
                BatchLimits(rows: 9, bytes: 999), at: .test, newID: { "id" })
        else {
            Issue.record("there is no batch")
            return
        }
        #expect(batch.rows.map(\.id) == ["a"])
    }

    @Test func looksForUnsentRowsByAnIndex() throws {
        let plan = try replica.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT 1 FROM tasks WHERE _status <> 'synced'")
                .map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("_unsent_tasks") }, "\(plan)")
    }
}
