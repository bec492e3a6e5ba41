import Foundation
import SyncProtocol
import Testing

@testable import SyncClient

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
                ], more: [Self.entries])
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

    private func store(_ name: String) throws -> PlanStore {
        try PlanStore(
            file: URL(filePath: scratch.folder + "/" + name), server: "http://server", project: "p", token: "t",
            transport: server)
    }

    @Test func twoDevicesSeeEachOthersTasks() async throws {
        let (phone, tablet) = (try store("phone"), try store("tablet"))
        #expect(try await phone.sync() == [])
        let id = try phone.addTask(named: "Order paint")
        #expect(try await phone.sync() == [])
        _ = try await tablet.sync()
        #expect(try tablet.rows(of: "tasks").map { $0["name"] } == ["Order paint"])
        try tablet.complete(id)
        _ = try tablet.logTime(minutes: 30, on: id, day: "2026-06-01")
        _ = try await tablet.sync()
        _ = try await phone.sync()
        #expect(try phone.rows(of: "tasks").map { $0["status"] } == ["COMPLETE"])
        #expect(try phone.rows(of: "time_entries").map { $0["minutes"] } == [30])
        try phone.remove(id, from: "tasks")
        #expect(try phone.rows(of: "tasks").isEmpty)
    }

    @Test func whatIsRefusedIsTold() async throws {
        let phone = try store("phone")
        _ = try await phone.sync()
        _ = try phone.addTask(named: "bad")
        #expect(try await phone.sync().count == 1)
        #expect(try phone.rows(of: "tasks").count == 1)
    }

    @Test func thePageShowsTheSampleAsItIs() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = try String(contentsOf: folder.appending(path: "../../../docs/swift-app.md"), encoding: .utf8)
        let sample = try String(contentsOf: folder.appending(path: "PlanStore.swift"), encoding: .utf8)
        #expect(page.contains("```swift\n" + sample + "```"))
    }
}
