import SyncProtocol
import SyncTestKit
import Testing

/// Fields that only a scheduler may write.
@Suite struct FieldRoleTests {
    static let scheduled: [String: JSON] = [
        "early_start": "2026-01-05", "early_finish": "2026-01-06", "scheduled_start": "2026-01-05",
        "late_start": "2026-01-07", "late_finish": "2026-01-08", "total_float": 2, "free_float": 1,
        "is_critical": true,
    ]

    @Test(arguments: scheduled.keys.sorted())
    func aMemberMayNotChangeAScheduledField(field: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let value = Self.scheduled[field]!
        let updated = try await member.upload(updated: [.object(["id": "t1", "name": "B", field: value])])
        #expect(updated.status == 403)
        #expect(updated.code == "field_forbidden")
        #expect(updated.errors == ["/changes/tasks/updated/0/\(field) field_forbidden"])
        let created = try await member.upload(created: [.object(["id": "t2", "name": "B", field: value])])
        #expect(created.status == 403)
        #expect(created.errors == ["/changes/tasks/created/0/\(field) field_forbidden"])
        #expect(try await member.task("t1")?["name"] == "Task t1")
        #expect(try await member.task("t2") == nil)
    }

    @Test func aMemberMaySendAScheduledFieldBackUnchanged() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], Self.scheduled)
        let member = try await scene.client(.member)
        var row = try #require(try await member.task("t1")?.object)
        row["name"] = "B"
        let answer = try await member.upload(updated: [.object(row)])
        #expect(answer.status == 200)
        let task = try #require(try await member.task("t1"))
        #expect(task["name"] == "B")
        for (field, value) in Self.scheduled { #expect(task[field] == value, "\(field)") }
    }

    @Test func aMemberMayCreateARowWithScheduledFieldsAtTheirDefaults() async throws {
        let scene = try await Scene()
        var row: [String: JSON] = Self.scheduled.mapValues { _ in .null }
        row["id"] = "t1"
        row["name"] = "A"
        #expect(try await scene.client(.member).upload(created: [.object(row)]).status == 200)
    }

    @Test func aScheduledFieldThatChangedDoesNotNameIsIgnored() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let row: JSON = ["id": "t1", "name": "B", "total_float": 9, "_changed": "name"]
        #expect(try await scene.client(.member).upload(updated: [row]).status == 200)
    }

    @Test func aSchedulerMayChangeScheduledFields() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let scheduler = try await scene.client(.scheduler)
        let row = Self.scheduled.merging(["id": "t1"]) { $1 }
        #expect(try await scheduler.upload(updated: [.object(row)]).status == 200)
        #expect(try await scheduler.task("t1")?["total_float"] == 2)
    }
}
