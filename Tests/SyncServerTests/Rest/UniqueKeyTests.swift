import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// A row whose unique key is taken is refused, with the id of the row that has the key, if the writer may see that one.
@Suite struct UniqueKeyTests {
    @Test func theRowThatHasTheKeyIsNamed() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let scheduler = try await scene.client(.scheduler)
        let fields: JSON = ["predecessor": "t1", "successor": "t2"]
        let first = try await scheduler.create("dependencies", fields)
        let second = try await scheduler.create("dependencies", fields)
        #expect(second.errors == ["/dep_type not_unique"])
        #expect(second.at("/errors/0/existing") == first.at("/id"))
    }

    @Test func aRowThatTheWriterMayNotSeeIsNotNamed() async throws {
        let registry = try Documents.registry { $0["time_entries", keyword: "x-unique"] = [["fields": ["task"]]] }
        let scene = try await Scene(registry: registry)
        try await scene.insertTasks(["t1"])
        let fields: JSON = ["task": "t1", "minutes": 5, "entry_date": "2026-06-01"]
        let (member, other) = (try await scene.client(.member), try await scene.client(.admin))
        let first = try await member.create("time_entries", fields)
        let own = try await member.create("time_entries", fields)
        #expect(own.errors == ["/task not_unique"] && own.at("/errors/0/existing") == first.at("/id"))
        let foreign = try await other.create("time_entries", fields)
        #expect(foreign.errors == ["/task not_unique"] && foreign.at("/errors/0/existing") == nil)
    }

    @Test func anUploadNamesItToo() async throws {
        let registry = try Documents.registry { $0["tasks", keyword: "x-unique"] = [["fields": ["name"]]] }
        let scene = try await Scene(registry: registry)
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let rows: [JSON] = [["id": "t2", "name": "Task t1"]]
        #expect(try await member.upload(created: rows).at("/errors/0/existing") == "t1")
        let lenient = try await member.upload(created: rows, members: ["on_error": "reject_rows"])
        #expect(lenient.at("/rejected/tasks/0/existing") == "t1")
    }
}
