import Foundation
import SyncProtocol
import Testing

@testable import SyncClientCore

/// The sample of docs/swift-app.md does what the page says.
@Suite struct PlanStoreTests {
    private let scratch: Scratch
    private let server = FakeServer()

    init() throws {
        scratch = try Scratch()
        server.change { state in
            state.schema = Fixture.schemaJSON(
                version: "v1",
                taskFields: [
                    "status": ["type": "string", "default": "NOT_STARTED"],
                    "percent_complete": ["type": "number", "default": 0],
                    "planned_start": ["type": ["string", "null"], "format": "date", "default": nil],
                ], more: [Self.entries, Self.projects])
            state.put("projects", "p", ["name": "Hall", "start_date": "2026-06-01"])
        }
    }

    private static var entries: JSON {
        [
            "title": "time_entries", "x-uploadable": true, "required": ["task", "minutes", "entry_date"],
            "properties": [
                "task": ["type": "string", "x-ref": ["collection": "tasks", "on-delete": "cascade"]],
                "minutes": ["type": "integer"], "entry_date": ["type": "string", "format": "date"],
            ],
        ]
    }

    private static var projects: JSON {
        [
            "title": "projects", "x-uploadable-user-wide": true, "required": ["name", "start_date"],
            "properties": ["name": ["type": "string"], "start_date": ["type": "string", "format": "date"]],
        ]
    }

    private func store(_ name: String) throws -> PlanStore {
        let replica = try Replica(path: scratch.folder + "/" + name, scope: .allProjects)
        let remote = try Remote(url: "http://server", scope: .allProjects, token: "t")
        let transport = AllProjectsServer(server: server)
        return PlanStore(
            replica: replica, syncer: try Syncer(remote: remote, transport: transport, replica: replica))
    }

    @Test func twoDevicesSeeEachOthersTasks() async throws {
        let (phone, tablet) = (try store("phone"), try store("tablet"))
        #expect(try await phone.sync() == [])
        #expect(try phone.projects().map { $0["name"] } == ["Hall"])
        let id = try phone.addTask(named: "Order paint", in: "p")
        #expect(try await phone.sync() == [])
        _ = try await tablet.sync()
        #expect(try tablet.rows(of: "tasks", in: "p").map { $0["name"] } == ["Order paint"])
        let task = try #require(try tablet.task(id))
        #expect(try tablet.tasks(in: "p") == [task])
        var draft = task
        draft.name = "Order much paint"
        draft.plannedStart = "2026-06-30"
        try tablet.save(draft, from: task)
        try tablet.complete(task)
        #expect(try tablet.tasks(in: "p", from: "2026-06-01", below: "2026-07-01").map(\.id) == [id])
        #expect(try tablet.tasks(in: "p", from: "2026-06-01", below: "2026-06-30").isEmpty)
        _ = try tablet.logTime(minutes: 30, on: id, in: "p", day: "2026-06-01")
        _ = try await tablet.sync()
        _ = try await phone.sync()
        #expect(try phone.rows(of: "tasks", in: "p").map { $0["status"] } == ["COMPLETE"])
        #expect(try phone.tasks(in: "p").map(\.name) == ["Order much paint"])
        var shown = phone.watchTasks(in: "p").makeAsyncIterator()
        #expect(try await shown.next() == phone.tasks(in: "p"))
        #expect(try phone.rows(of: "time_entries", in: "p").map { $0["minutes"] } == [30])
        try phone.remove(id, from: "tasks")
        #expect(try phone.rows(of: "tasks", in: "p").isEmpty)
    }

    @Test func whatIsRefusedIsTold() async throws {
        let phone = try store("phone")
        _ = try await phone.sync()
        _ = try phone.addTask(named: "bad", in: "p")
        #expect(try await phone.sync().count == 1)
        #expect(try phone.rows(of: "tasks", in: "p").count == 1)
    }

    @Test func aProjectIsMadeOfflineAndHasTasksAtOnce() async throws {
        let phone = try store("phone")
        _ = try await phone.sync()
        let project = try phone.addProject(named: "Barn", start: "2026-06-01")
        _ = try phone.addTask(named: "Order paint", in: project)
        #expect(try phone.rows(of: "tasks", in: project).count == 1)
    }

    /// Its transport can't stream, and its server does not hold pulls.
    @Test(.timeLimit(.minutes(10))) func aWatchSendsWhatIsEditedMeanwhile() async throws {
        let phone = try store("phone")
        let (changes, told) = AsyncStream<Void>.makeStream()
        let watch = Task { try await phone.watch { told.yield(()) } }
        for await _ in changes { break }
        let id = try phone.addTask(named: "Order paint", in: "p")
        while server.live("tasks")[id] == nil { await Task.yield() }
        watch.cancel()
        await #expect(throws: CancellationError.self) { try await watch.value }
    }

    @Test func thePageShowsTheSampleAsItIs() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = try String(contentsOf: folder.appending(path: "../../../docs/swift-app.md"), encoding: .utf8)
        let sample = try String(contentsOf: folder.appending(path: "PlanStore.swift"), encoding: .utf8)
        #expect(page.contains("```swift\n" + sample + "```"))
    }
}
